package study

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"plimsoll/internal/text/unit"
)

// decoder fills typed values from nodes, strictly: every field must be known
// and every value of the right type. Values that are already there are
// defaults. It goes on after a problem, so that all are found at once.
type decoder struct {
	*source
	vocabulary Vocabulary
	// misread are the nodes whose value could not be read, which was noted.
	misread map[*node]bool
}

// problem notes something wrong with a node.
func (d *decoder) problem(n *node, path, found, expected string) {
	d.add(n.line, n.column, path, found, expected, "")
}

// near notes an unknown name, with the nearest of the known ones. Those are
// listed unless they are many and the guess is likely to do.
func (d *decoder) near(n *node, path, found, name string, known []string) {
	const many = 10
	guess, expected := Nearest(name, known), strings.Join(known, ", ")
	switch {
	case guess != "" && (len(known) > many || len(known) == 1):
		expected = ""
	case len(known) > 1:
		expected = "one of " + expected
	}
	d.add(n.line, n.column, path, found, expected, guess)
}

// value decodes one node into a settable value.
func (d *decoder) value(n *node, into reflect.Value, path string) {
	switch target := into.Addr().Interface().(type) {
	case *Workload:
		d.workload(n, target, path)
	case *Storage:
		d.storage(n, target, path)
	case *Platform:
		d.platform(n, target, path)
	case *Matrix:
		d.matrix(n, target, path)
	case *Ladder:
		d.ladder(n, target, path)
	case *Target:
		d.target(n, target, path)
	case *Objective:
		d.objective(n, target, path)
	case *Member:
		*target = Member{Weight: 1, Application: Application{Load: defaults().Load}}
		d.structure(n, into, path)
	case encoding.TextUnmarshaler:
		d.text(n, target, into.Type(), path)
	default:
		d.kind(n, into, path)
	}
}

func (d *decoder) text(n *node, into encoding.TextUnmarshaler, t reflect.Type, path string) {
	if n.form != plain && n.form != quoted {
		d.mismatch(n, t, path)
		return
	}
	err := into.UnmarshalText([]byte(n.text))
	if err == nil {
		return
	}
	var wrong *unit.Error
	if errors.As(err, &wrong) {
		d.unreadable(n, path, wrong)
		return
	}
	d.unreadable(n, path, &unit.Error{Found: err.Error()})
}

// mismatch notes a node of the wrong type.
func (d *decoder) mismatch(n *node, t reflect.Type, path string) {
	d.unreadable(n, path, &unit.Error{Found: "found " + n.describe(), Expected: expectation(t)})
}

// unreadable notes a node whose value cannot be read, and that it is misread.
func (d *decoder) unreadable(n *node, path string, wrong *unit.Error) {
	if d.misread == nil {
		d.misread = map[*node]bool{}
	}
	d.misread[n] = true
	d.add(n.line, n.column, path, wrong.Found, wrong.Expected, wrong.Suggestion)
}

func (d *decoder) kind(n *node, into reflect.Value, path string) {
	switch into.Kind() {
	case reflect.Pointer:
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		d.value(n, into.Elem(), path)
	case reflect.Struct:
		d.structure(n, into, path)
	case reflect.Map:
		d.table(n, into, path)
	case reflect.Slice:
		d.list(n, into, path)
	case reflect.Interface:
		d.scalar(n, into, path)
	default:
		d.number(n, into, path)
	}
}

func (d *decoder) number(n *node, into reflect.Value, path string) {
	text, ok := n.text, n.form == plain
	switch into.Kind() {
	case reflect.String:
		if ok = n.form == plain || n.form == quoted; ok {
			into.SetString(text)
		}
	case reflect.Bool:
		ok = ok && (text == "true" || text == "false")
		if ok {
			into.SetBool(text == "true")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(text, 10, into.Type().Bits())
		if ok = ok && err == nil; ok {
			into.SetInt(i)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		i, err := strconv.ParseUint(text, 10, into.Type().Bits())
		if ok = ok && err == nil; ok {
			into.SetUint(i)
		}
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if ok = ok && err == nil && unit.IsNumber(text) && !math.IsInf(f, 0); ok {
			into.SetFloat(f)
		}
	default:
		ok = false
	}
	if !ok {
		d.mismatch(n, into.Type(), path)
	}
}

// scalar takes a level: any single value, typed as it looks.
func (d *decoder) scalar(n *node, into reflect.Value, path string) {
	switch n.form {
	case plain:
		into.Set(reflect.ValueOf(natural(n.text)))
	case quoted:
		into.Set(reflect.ValueOf(n.text))
	default:
		d.problem(n, path, "found "+n.describe(), "a number or text")
	}
}

func (d *decoder) structure(n *node, into reflect.Value, path string) {
	if n.form != mapping {
		d.mismatch(n, into.Type(), path)
		return
	}
	d.fields(n, into, path, nil)
}

// fields decodes a mapping into a struct; reserved keys were read by the
// caller and are known, too.
func (d *decoder) fields(n *node, into reflect.Value, path string, reserved []string) {
	targets, names := fieldsOf(into)
	for _, f := range n.fields {
		if contains(reserved, f.key) {
			continue
		}
		target, known := targets[f.key]
		if !known {
			at := &node{line: f.line, column: f.column}
			d.near(at, join(path, f.key), fmt.Sprintf("unknown field %q", f.key), f.key, append(names, reserved...))
			continue
		}
		d.value(f.value, target, join(path, f.key))
	}
}

// fieldsOf lists the settable fields of a struct by their yaml names, including the fields
// of inlined structs.
func fieldsOf(v reflect.Value) (map[string]reflect.Value, []string) {
	targets := map[string]reflect.Value{}
	var names []string
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case f.Type.Kind() == reflect.Struct && (strings.Contains(options, "inline") || f.Anonymous && name == ""):
			inner, innerNames := fieldsOf(v.Field(i))
			for k, t := range inner {
				targets[k] = t
			}
			names = append(names, innerNames...)
			continue
		case name == "":
			name = strings.ToLower(f.Name)
		}
		targets[name] = v.Field(i)
		names = append(names, name)
	}
	return targets, names
}

func (d *decoder) table(n *node, into reflect.Value, path string) {
	if n.form != mapping || into.Type().Key().Kind() != reflect.String {
		d.mismatch(n, into.Type(), path)
		return
	}
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for _, f := range n.fields {
		value := reflect.New(into.Type().Elem()).Elem()
		d.value(f.value, value, join(path, f.key))
		into.SetMapIndex(reflect.ValueOf(f.key).Convert(into.Type().Key()), value)
	}
}

func (d *decoder) list(n *node, into reflect.Value, path string) {
	if n.form != sequence {
		d.mismatch(n, into.Type(), path)
		return
	}
	all := reflect.MakeSlice(into.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		d.value(item, all.Index(i), join(path, strconv.Itoa(i)))
	}
	into.Set(all)
}

// expectation says in words what a type takes.
func expectation(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[unit.Bytes]():
		return unit.SizeExpected
	case reflect.TypeFor[unit.Cores]():
		return unit.CoresExpected
	case reflect.TypeFor[unit.Duration]():
		return unit.DurationExpected
	case reflect.TypeFor[Objective]():
		return objectiveExpected
	case reflect.TypeFor[Percentage]():
		return "a percentage, such as 1 %"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expectation(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number, such as 0.5 or 4"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a non-negative integer"
	case reflect.Slice:
		return "a list" + ofWhat(t.Elem())
	case reflect.Struct, reflect.Map:
		return expectFields(t)
	default:
		return "an integer"
	}
}

// ofWhat says what a list is of, with an example where there is a short one.
func ofWhat(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Objective]():
		return ", such as [p95 <= 200ms, errors <= 0.1%]"
	case t.Kind() == reflect.Struct || t.Kind() == reflect.Map:
		return ", each item after a hyphen: " + expectFields(t)
	case t.Kind() == reflect.String:
		return ", such as [a, b]"
	default:
		return ", such as [1, 2]"
	}
}

func expectFields(t reflect.Type) string {
	if t.Kind() == reflect.Map {
		return "fields below it (name: value)"
	}
	_, names := fieldsOf(reflect.New(t).Elem())
	return "fields below it: " + strings.Join(names, ", ")
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
