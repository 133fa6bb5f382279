package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// ownFields are the fields that each member has in place of the study's.
func ownFields() []string {
	return []string{"workload", "engine", "stack", "target", "load", "objectives"}
}

// Bounds of members.
const (
	mostMembers   = 20
	mostWeight    = 1_000
	mostReference = 1e12
	longestMember = 20 // characters of a name, which is in the names of servers
)

// memberPrefix begins the factors that vary one member.
const memberPrefix = "members."

// ofMember splits a factor that varies one member into the member's name and the path
// within the member.
func ofMember(factor string) (member, own string, ok bool) {
	rest, ok := strings.CutPrefix(factor, memberPrefix)
	member, own, found := strings.Cut(rest, ".")
	return member, own, ok && found
}

// Tile returns the applications of a study, each as a study of its own; one of these is the
// only one of itself.
func (s *Study) Tile() []*Study {
	if len(s.Members) == 0 {
		return []*Study{s}
	}
	all := make([]*Study, len(s.Members))
	for i, m := range s.Members {
		one := *s
		one.Members, one.member, one.weight, one.whole = nil, m.Name, m.Weight, s
		one.Application = m.Application
		one.Answer.Factor = ownPath(s.Answer.Factor, m.Name)
		one.Matrix.Factors = nil
		for _, f := range s.Matrix.Factors {
			f.Path = ownPath(f.Path, m.Name)
			one.Matrix.Factors = append(one.Matrix.Factors, f)
		}
		all[i] = &one
	}
	return all
}

// Member is the member that the study is of alone, with how many instances of it a tile
// has; the name is empty where the study has no members.
func (s *Study) Member() (name string, weight int) { return s.member, max(1, s.weight) }

// ReferenceThroughput returns the reference throughput of the study's single member, or 0
// if none is given.
func (s *Study) ReferenceThroughput() float64 {
	for _, m := range s.all().Members {
		if m.Name == s.member && s.member != "" {
			return m.ReferenceThroughput
		}
	}
	return 0
}

// Has reports whether the study has a member of a name.
func (s *Study) Has(member string) bool { return slices.Contains(memberNames(s.all().Members), member) }

// Alone are the members that are measured without the others as well.
func (s *Study) Alone() []string {
	if !s.Ladder.Alone {
		return nil
	}
	return memberNames(s.Members)
}

// all is the whole study that one of Tile is a part of.
func (s *Study) all() *Study {
	if s.whole != nil {
		return s.whole
	}
	return s
}

// ownPath is the path of a factor as a study of the member alone has it.
func ownPath(factor, member string) string {
	if of, own, ok := ofMember(factor); ok && of == member {
		return own
	}
	return factor
}

// PathOf is the factor that varies what a study of the member alone has at a path; the
// application of a study without members has no name.
func PathOf(member, own string) string {
	head, _, _ := strings.Cut(own, ".")
	if member == "" || !slices.Contains(ownFields(), head) {
		return own
	}
	return memberPrefix + member + "." + own
}

// Tile returns the applications of a variant, each as a variant of its own, with the
// weight of its member; one of these is the only one of itself.
func (v Variant) Tile() []Variant {
	if len(v.Members) == 0 {
		v.Weight = max(1, v.Weight)
		return []Variant{v}
	}
	all := make([]Variant, len(v.Members))
	for i, m := range v.Members {
		one := v
		one.Members, one.Member, one.Weight = nil, m.Name, m.Weight
		one.Application = m.Application
		one.Factors = map[string]string{}
		for path, level := range v.Factors {
			one.Factors[ownPath(path, m.Name)] = level
		}
		all[i] = one
	}
	return all
}

// Title names the variant in sentences, with its member.
func (v Variant) Title() string { return ofVariant(v.Name, v.Member) }

// ofVariant is a name that no variant has: names of members have no dots.
func ofVariant(variant, member string) string {
	if member == "" {
		return variant
	}
	return variant + "." + member
}

// Of qualifies a name with a member's. Without members the name stays as it is. Names of
// members have no hyphens, so a qualified name cannot begin with another member's name.
func Of(member, name string) string {
	if member == "" {
		return name
	}
	return member + "-" + name
}

// setMember changes a field of one member; that of a study without members has no name.
func (d *decoder) setMember(v *Variant, factor, name, own string, level *node) bool {
	at := slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name })
	head, _, _ := strings.Cut(own, ".")
	expected := memberFactorExpected
	if !HasMembers(v.Members) {
		expected = factorExpected
	}
	switch {
	case at >= 0 && slices.Contains(ownFields(), head):
		return d.setOwn(&v.Members[at].Application, factor, own, level)
	case at >= 0:
		d.problem(level, factor, fmt.Sprintf("%q cannot be varied", factor), expected)
	case name == "":
		d.problem(level, factor, fmt.Sprintf("%q cannot be varied: each member has its own", factor), expected)
	case !HasMembers(v.Members):
		d.problem(level, factor, fmt.Sprintf("%q cannot be varied: the study has no members", factor), expected)
	default:
		d.near(level, factor, fmt.Sprintf("unknown member %q", name), name, memberNames(v.Members))
	}
	return false
}

// HasMembers reports whether a file names its applications, so that rungs count tiles.
func HasMembers(all []Member) bool { return len(all) > 0 && all[0].Name != "" }

func memberNames(members []Member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return names
}

// members checks the names and the number of members, and that the study itself sets no
// field that each member sets for itself.
func (c *checker) members() {
	if c.root.get("members") == nil {
		return
	}
	for _, own := range ownFields() {
		if c.given(own) {
			c.wrong(own, fmt.Sprintf("both members and %s are given", own), "only one of them: each member has its own "+own)
		}
	}
	all := c.study.Members
	if len(all) == 0 || len(all) > mostMembers {
		c.outOfRange("members", "members", len(all), mostMembers)
	}
	if c.study.Ladder.Of == OfUsers {
		c.wrong("ladder.of", "a ladder of tiles cannot count users", "no of: a rung is a tile, with the instances of each member")
	}
	seen := map[string]bool{}
	for i, m := range all {
		path := fmt.Sprintf("members.%d", i)
		switch {
		case c.unread(path + ".name"):
		case m.Name == "":
			c.wrong(path, "the member has no name", "name: such as shop")
		case !isMember(m.Name):
			c.wrong(path+".name", fmt.Sprintf("%q is not a valid member name", m.Name), fmt.Sprintf("at most %d lower-case letters and digits, beginning with a letter", longestMember))
		case seen[m.Name]:
			c.wrong(path+".name", fmt.Sprintf("two members are called %s", m.Name), "a unique name")
		}
		seen[m.Name] = true
		if r := m.ReferenceThroughput; r < 0 || r > mostReference || math.IsNaN(r) {
			c.wrong(path+".reference_throughput", fmt.Sprintf("%v is no throughput", r), fmt.Sprintf("more than 0, up to %g", float64(mostReference)))
		}
		if m.Weight < 1 || m.Weight > mostWeight {
			c.outOfRange(path+".weight", "weight", m.Weight, mostWeight)
		}
	}
}

func isMember(name string) bool {
	letters := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz")
	return letters != name && len(name) <= longestMember && strings.Trim(letters, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// eachMember checks every application of the study by itself. It moves a member's problems
// to the member's place in the file.
func (c *checker) eachMember(check func(*checker)) {
	for i, one := range c.study.Tile() {
		at, before := *c, len(c.problems)
		at.study = one
		if c.root.get("members") == nil {
			check(&at)
		} else {
			at.root = c.memberRoot(i)
			check(&at)
			for n := range c.problems[before:] {
				c.problems[before+n].Path = memberPath(i, c.problems[before+n].Path)
			}
		}
		c.study.Members[i].Application = one.Application
	}
}

// memberRoot returns the file as a study that has only this member.
func (c *checker) memberRoot(i int) *node {
	member := c.root.at(fmt.Sprintf("members.%d", i))
	out := &node{form: mapping, line: member.line, column: member.column}
	for _, f := range c.root.fields {
		if !slices.Contains(append(ownFields(), "members"), f.key) {
			out.fields = append(out.fields, f)
		}
	}
	for _, f := range member.fields {
		if slices.Contains(ownFields(), f.key) {
			out.fields = append(out.fields, f)
		}
	}
	return out
}

// memberPath is where the file has what a study of one member alone has at a path.
func memberPath(i int, path string) string {
	head, _, _ := strings.Cut(path, ".")
	if !slices.Contains(ownFields(), head) {
		return path
	}
	return fmt.Sprintf("members.%d.%s", i, path)
}
