package study

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A setting is one value from the command line, as PATH=VALUE: a dotted path into the
// study, and the value as YAML on one line. It counts as a line after the end of the file,
// so that problems can refer to it.
type setting struct {
	path  string
	value *node
	line  int
}

const settingExpected = "PATH=VALUE, such as engine.cpu=0.5"

// apply lays settings over a study, in order. The nodes of the study stay as they are,
// because profiles share them.
func (d *decoder) apply(root *node, all []string) *node {
	d.settings = all
	for i, text := range all {
		s, ok := d.readSetting(text, len(d.lines)+1+i)
		if !ok {
			continue
		}
		root = d.put(root, s, "", s.path)
		if factor := variedBy(root.get("matrix"), s.path); factor != "" {
			d.problem(s.value, s.path, fmt.Sprintf("the matrix varies %s", factor), fmt.Sprintf("--set 'matrix.%s=[...]' with its levels", factor))
		}
	}
	return root
}

func (d *decoder) readSetting(text string, line int) (setting, bool) {
	path, value, whole := strings.Cut(text, "=")
	s := setting{path: strings.TrimSpace(path), line: line}
	bad := func(found, expected string) (setting, bool) {
		d.add(line, 1, s.path, found, expected, "")
		return s, false
	}
	switch {
	case !whole:
		return bad("there is no =", settingExpected)
	case s.path == "" || slices.Contains(strings.Split(s.path, "."), ""):
		return bad(fmt.Sprintf("%q is not a path into the study", s.path), settingExpected)
	case s.path == "profiles" || strings.HasPrefix(s.path, "profiles."):
		return bad("a profile cannot be changed", "--profile and the fields of the study")
	}
	src, root := load("", []byte("value: "+value))
	for _, p := range src.problems {
		d.add(line, 1, s.path, p.Found, p.Expected, p.Suggestion)
	}
	if len(src.problems) > 0 {
		return s, false
	}
	if len(root.fields) != 1 {
		return bad("the value has more than one line", settingExpected)
	}
	s.value = root.get("value").onLine(line)
	return s, true
}

// onLine is a copy of the node and all below it that says it was written on a line.
func (n *node) onLine(line int) *node {
	out := *n
	out.line, out.column = line, 1
	out.fields, out.items = nil, nil
	for _, f := range n.fields {
		out.fields = append(out.fields, field{f.key, line, 1, f.value.onLine(line)})
	}
	for _, item := range n.items {
		out.items = append(out.items, item.onLine(line))
	}
	return &out
}

// put returns a copy of a node with the setting's value at the rest of its path; done
// is the path of the node itself.
func (d *decoder) put(n *node, s setting, done, rest string) *node {
	if rest == "" {
		return s.value
	}
	if n == nil || n.form == empty {
		n = &node{form: mapping, line: s.line, column: 1}
	}
	switch n.form {
	case mapping:
		return d.putField(n, s, done, rest)
	case sequence:
		return d.putItem(n, s, done, rest)
	}
	d.problem(s.value, s.path, fmt.Sprintf("%s is %s, which has no fields", done, n.describe()), "the path of a single value, or all of "+done)
	return n
}

func (d *decoder) putField(n *node, s setting, done, rest string) *node {
	key, below := n.nextKey(done, rest)
	old := n.get(key)
	if old == nil && !d.mayAdd(n, s, join(done, key), key, below) {
		return n
	}
	out := *n
	out.fields = nil
	for _, f := range n.fields {
		if f.key != key {
			out.fields = append(out.fields, f)
			continue
		}
		f.value = d.put(f.value, s, join(done, key), below)
		if f.value.form != empty { // as in a profile, a field without a value is taken away
			out.fields = append(out.fields, f)
		}
	}
	if old == nil {
		out.fields = append(out.fields, field{key, s.line, 1, d.put(nil, s, join(done, key), below)})
	}
	return &out
}

// mayAdd reports whether a field that is not there can be added. Whether
// the study knows it, decoding says.
func (d *decoder) mayAdd(n *node, s setting, path, key, below string) bool {
	switch {
	case (path == "storage."+key || path == "stack."+key) && below != "":
		d.near(s.value, s.path, fmt.Sprintf("the study has no %s", path), key, keysInOrder(n))
		return false
	case below == "" && s.value.form == empty:
		d.near(s.value, s.path, fmt.Sprintf("the study has no %s that could be taken away", path), key, keysInOrder(n))
		return false
	}
	return true
}

// freeKeys are the fields below which keys are free and may contain dots.
var freeKeys = []string{"settings", "options", "for", "matrix"}

// nextKey splits a path into the key of a field and the path below it. Keys may contain
// dots, so an existing key that fits is preferred.
func (n *node) nextKey(done, rest string) (key, below string) {
	for _, f := range n.fields {
		if strings.Contains(f.key, ".") && strings.HasPrefix(rest+".", f.key+".") {
			return f.key, strings.TrimPrefix(rest[len(f.key):], ".")
		}
	}
	key, below, _ = strings.Cut(rest, ".")
	if slices.Contains(freeKeys, Leaf(done)) && n.get(key) == nil && key != "exclude" {
		return rest, ""
	}
	return key, below
}

func (d *decoder) putItem(n *node, s setting, done, rest string) *node {
	key, below, _ := strings.Cut(rest, ".")
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= len(n.items) {
		d.problem(s.value, s.path, fmt.Sprintf("%s is a list of %d; it has no item %q", done, len(n.items), key), positions(len(n.items))+", or all of "+done)
		return n
	}
	out := *n
	out.items = slices.Clone(n.items)
	out.items[i] = d.put(n.items[i], s, join(done, key), below)
	if out.items[i].form == empty {
		out.items = slices.Delete(out.items, i, i+1)
	}
	return &out
}

func positions(n int) string {
	switch n {
	case 0:
		return "no position, because the list is empty"
	case 1:
		return "position 0"
	}
	return fmt.Sprintf("a position from 0 to %d", n-1)
}

// variedBy returns the factor of the matrix whose levels would replace a value set at a
// path.
func variedBy(matrix *node, path string) string {
	if matrix == nil {
		return ""
	}
	for _, f := range matrix.fields {
		_, parameter, _ := strings.Cut(strings.TrimPrefix(path, "storage."), ".")
		if f.key == path && path != storageFactor || strings.HasPrefix(path, "storage.") && f.key == "storage.*."+parameter {
			return f.key
		}
	}
	return ""
}

// judging are the fields that only an analysis reads. Everything else is what was
// measured, which cannot be changed afterwards.
var judging = []string{"title", "question", "source", "reference", "objectives", "objectives_of", "min_grade", "prices", "claims"}

// Judge returns the study of a run with settings applied to the fields that an analysis
// reads: objectives, prices and the like. The error is a *Problems that lists every fault.
func (s *Study) Judge(settings []string, v Vocabulary) (*Study, error) {
	src, root := load(s.Name, s.judged())
	d := &decoder{source: src, vocabulary: v.sorted()}
	out := *s
	out.Set = append(slices.Clone(s.Set), settings...)
	out.Title, out.Question, out.Source, out.Reference, out.ObjectivesOf, out.MinGrade, out.Prices, out.Claims = "", "", "", "", "", "", nil, nil
	out.Members = slices.Clone(s.Members)
	if root != nil {
		root = d.apply(root, settings)
		d.onlyJudging(settings, s)
	}
	if len(d.problems) == 0 {
		d.fields(root, reflect.ValueOf(&out).Elem(), "", nil)
		if !HasMembers(out.Members) {
			out.Members[0].Objectives = out.Objectives
		}
		out.Application = Application{}
		c := &checker{decoder: d, root: root, study: &out}
		c.eachMember((*checker).objectives)
		c.names()
		c.grade()
		c.claims()
		c.prices()
	}
	if err := src.err(); err != nil {
		return nil, err
	}
	return &out, nil
}

// judged is the part of the study that an analysis reads, as a study file.
func (s *Study) judged() []byte {
	part := map[string]any{"study": s.Name, "title": s.Title, "question": s.Question, "source": s.Source, "reference": s.Reference, "objectives_of": s.ObjectivesOf, "min_grade": s.MinGrade}
	for key, value := range part {
		if value == "" {
			delete(part, key)
		}
	}
	objectives := []string{}
	if !HasMembers(s.Members) {
		for _, o := range s.Members[0].Objectives {
			objectives = append(objectives, o.Text)
		}
	}
	part["objectives"] = objectives
	if s.Prices != nil {
		part["prices"] = s.Prices
	}
	if len(s.Claims) > 0 {
		part["claims"] = s.Claims
	}
	text, _ := json.Marshal(part) // plain data always marshals
	return text
}

func (d *decoder) onlyJudging(settings []string, s *Study) {
	for i, text := range settings {
		path, _, _ := strings.Cut(text, "=")
		head, _, _ := strings.Cut(strings.TrimSpace(path), ".")
		at := &node{line: len(d.lines) + 1 + i, column: 1}
		if !contains(judging, head) {
			d.near(at, path, "a report cannot change what was measured", head, judging)
		} else if contains(ownFields(), head) && HasMembers(s.Members) {
			d.problem(at, path, "each member has objectives of its own, which a report cannot change", "a study with other objectives of its members")
		}
	}
}

// Paths lists the paths of a study file's values with a profile applied, for
// completion. A file that cannot be read has none.
func Paths(data []byte, profile string) []string {
	_, root := load("", data)
	if root == nil {
		return nil
	}
	base := without(root, "profiles")
	if over := root.get("profiles").get(profile); over != nil {
		base = merge(base, over)
	}
	return base.paths("")
}

func (n *node) paths(path string) (all []string) {
	if n.form != mapping {
		return []string{path}
	}
	for _, f := range n.fields {
		all = append(all, f.value.paths(join(path, f.key))...)
	}
	return all
}

// Judging lists the fields that Judge can set.
func Judging() []string { return slices.Clone(judging) }
