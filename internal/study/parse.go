package study

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"plimsoll/internal/text/unit"
)

// defaults is a study before anything is read.
func defaults() Study {
	return Study{
		Repetitions: 1,
		Phases:      Phases{Warmup: unit.Duration(time.Minute), Measure: unit.Duration(5 * time.Minute), RampRate: 10},
		Application: Application{Load: Load{Users: 8}},
		Telemetry:   Telemetry{Interval: unit.Duration(time.Second)},
		Seed:        1,
	}
}

// Parse reads a study, applies the named profile ("" for none) and then what was set
// on the command line, each as PATH=VALUE. The whole file is checked, with every
// profile applied in turn. The error is a *Problems that lists everything that is
// wrong.
func Parse(file string, data []byte, profile string, v Vocabulary, set ...string) (*Study, error) {
	src, root := load(file, data)
	if root == nil {
		return nil, src.err()
	}
	d := &decoder{source: src, vocabulary: v.sorted()}
	profiles := d.profiles(root)
	base := without(root, "profiles")
	chosen := d.chosen(base, profile == "", set)
	for _, p := range profiles {
		s := d.chosen(merge(base, p.value), p.key == profile, set)
		s.Profile = p.key
		if p.key == profile {
			chosen = s
		}
	}
	if chosen.Profile != profile {
		d.unknownProfile(root, profile, profiles)
	}
	if err := src.err(); err != nil {
		return nil, err
	}
	return chosen, nil
}

// Decode reads a YAML file into a struct with yaml tags as strictly as studies
// are read. The error is a *Problems that lists everything that is wrong.
func Decode(file string, data []byte, into any) error {
	src, root := load(file, data)
	if root != nil {
		d := &decoder{source: src}
		d.value(root, reflect.ValueOf(into).Elem(), "")
	}
	return src.err()
}

// profiles lists the well-formed profiles of a file.
func (d *decoder) profiles(root *node) []field {
	all := root.get("profiles")
	if all == nil || all.form == empty {
		return nil
	}
	if all.form != mapping {
		d.problem(all, "profiles", "found "+all.describe(), "profile names, each with the fields that it changes")
		return nil
	}
	var good []field
	for _, p := range all.fields {
		at, path := &node{line: p.line, column: p.column}, join("profiles", p.key)
		switch {
		case !isName(p.key):
			d.problem(at, path, fmt.Sprintf("%q is not a valid profile name", p.key), nameExpected)
		case p.value.form != mapping:
			d.problem(p.value, path, "found "+p.value.describe(), "the fields that the profile changes")
		case p.value.get("profiles") != nil:
			d.problem(at, path, "a profile cannot contain profiles", "only fields of the study")
		default:
			good = append(good, p)
		}
	}
	return good
}

func (d *decoder) unknownProfile(root *node, profile string, profiles []field) {
	at := root
	if f := root.field("profiles"); f != nil {
		at = &node{line: f.line, column: f.column}
	}
	var names []string
	for _, p := range profiles {
		names = append(names, p.key)
	}
	if len(names) == 0 {
		d.problem(at, "profiles", fmt.Sprintf("unknown profile %q", profile), "no --profile: this study has none")
		return
	}
	d.near(at, "profiles", fmt.Sprintf("unknown profile %q", profile), profile, names)
}

// chosen decodes and checks one study. What was set on the command line is for the one
// that is to run.
func (d *decoder) chosen(root *node, chosen bool, set []string) *Study {
	if !chosen || len(set) == 0 {
		return d.study(root)
	}
	s := d.study(d.apply(root, set))
	s.Set = set
	return s
}

// study decodes and checks one study, without regard to profiles.
func (d *decoder) study(root *node) *Study {
	began := len(d.problems)
	s := defaults()
	s.vocabulary = d.vocabulary
	d.fields(root, reflect.ValueOf(&s).Elem(), "", []string{"profiles"})
	s.StorageOrder = keysInOrder(root.get("storage"))
	if root.get("members") == nil {
		lift(&s.Members, &s.Application)
	}
	s.Application = Application{}
	c := &checker{decoder: d, root: root, study: &s, began: began}
	c.check()
	return &s
}

func keysInOrder(n *node) []string {
	if n == nil {
		return nil
	}
	keys := make([]string, len(n.fields))
	for i, f := range n.fields {
		keys[i] = f.key
	}
	return keys
}

// Profiles lists the names of the profiles in a study file, in file order. A
// file that cannot be read has none.
func Profiles(data []byte) []string {
	_, root := load("", data)
	return keysInOrder(root.get("profiles"))
}

// NameOf is the name of the study in a file; empty where that has none, or is no study file.
func NameOf(data []byte) string {
	_, root := load("", data)
	if n := root.get("study"); n != nil {
		return n.text
	}
	return ""
}

const nameExpected = "lower-case letters, digits, hyphens and dots, beginning with a letter or digit"

// isName reports whether a name is safe as part of a path and easy to type.
func isName(s string) bool {
	const longest = 64
	if s == "" || len(s) > longest || strings.Contains(s, "..") || strings.ContainsAny(s[:1], "-.") {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}

// isStorageName is a name without dots, because dots part the path of a
// factor.
func isStorageName(s string) bool { return isName(s) && !strings.Contains(s, ".") }
