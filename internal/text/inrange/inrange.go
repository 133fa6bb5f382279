// Package inrange checks the numbers of a value that was read from a file, which anybody may
// have written: no count, size or time is so large that arithmetic with it overflows, and what
// has a range of its own is in it.
package inrange

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of all numbers that have no range of their own. Twice each of them still fits into
// 64 bits.
const (
	mostInteger  = 1 << 60                   // an exbibyte
	mostDuration = 20 * 366 * 24 * time.Hour // 20 years
	mostFloat    = 1e24                      // far above any rate or size
	firstYear    = 1970                      // of a time that is set
	lastYear     = 2200                      // nanoseconds since 1970 fit into 64 bits until 2262
	deepest      = 100                       // levels of values within values
)

// Check reports a number that is out of range, in a value or anything in it, by its fields'
// names in JSON. A field states its range in its tag, as `within:"1..100"`, or its allowed
// words, as `oneof:"cpu memory"`; an empty word is always allowed.
func Check(v any) error { return check(reflect.ValueOf(v), rule{}, nil, 0) }

// rule is the range of a field.
type rule struct {
	low, high int64
	ranged    bool
	words     []string
}

// field is one of a struct that is looked into.
type field struct {
	index int
	name  string // in JSON; empty of one whose fields are its struct's
	rule  rule
}

// path is where a value is. It is made into a text only where something is wrong.
type path struct {
	above *path
	name  string // of a field or key
	at    int    // in a list, where it has no name
}

func (p *path) String() string {
	if p == nil {
		return ""
	}
	before := p.above.String()
	switch {
	case p.name == "":
		return before + "[" + strconv.Itoa(p.at) + "]"
	case before == "":
		return p.name
	}
	return before + "." + p.name
}

var moments = reflect.TypeFor[time.Time]()

func check(v reflect.Value, r rule, at *path, depth int) error {
	if depth > deepest {
		return fmt.Errorf("%s has more than %d levels of values within values", at, deepest)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return check(v.Elem(), r, at, depth+1)
	case reflect.Struct:
		return checkStruct(v, at, depth)
	case reflect.Slice, reflect.Array:
		return checkList(v, r, at, depth)
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if err := check(each.Value(), r, &path{above: at, name: fmt.Sprint(each.Key())}, depth+1); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return checkInteger(v, r, at)
	case reflect.Float32, reflect.Float64:
		return checkFloat(v.Float(), r, at)
	case reflect.String:
		if s := v.String(); len(r.words) > 0 && s != "" && !slices.Contains(r.words, s) {
			return fmt.Errorf("%s is %q; it must be one of %s", at, s, strings.Join(r.words, ", "))
		}
	}
	return nil
}

func checkStruct(v reflect.Value, at *path, depth int) error {
	if v.Type() == moments {
		t := v.Interface().(time.Time)
		if year := t.UTC().Year(); !t.IsZero() && (year < firstYear || year > lastYear) {
			return fmt.Errorf("%s is %s; it must be from %d to %d", at, t.Format(time.RFC3339), firstYear, lastYear)
		}
		return nil
	}
	for _, f := range fieldsOf(v.Type()) {
		in := at
		if f.name != "" {
			in = &path{above: at, name: f.name}
		}
		if err := check(v.Field(f.index), f.rule, in, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkList(v reflect.Value, r rule, at *path, depth int) error {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return nil // bytes are a text
	}
	for i := range v.Len() {
		if err := check(v.Index(i), r, &path{above: at, at: i}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkInteger(v reflect.Value, r rule, at *path) error {
	low, high := int64(-mostInteger), int64(mostInteger)
	switch {
	case r.ranged:
		low, high = r.low, r.high
	case strings.HasSuffix(v.Type().Name(), "Duration"):
		low, high = -int64(mostDuration), int64(mostDuration)
	}
	if n := v.Int(); n < low || n > high {
		return fmt.Errorf("%s is %d; it must be from %d to %d", at, n, low, high)
	}
	return nil
}

func checkFloat(f float64, r rule, at *path) error {
	low, high := -mostFloat, mostFloat
	if r.ranged {
		low, high = float64(r.low), float64(r.high)
	}
	if !math.IsNaN(f) && (f < low || f > high) {
		return fmt.Errorf("%s is %g; it must be from %g to %g", at, f, low, high)
	}
	return nil
}

// fieldCache holds the fields of each type that was inspected.
var fieldCache sync.Map

func fieldsOf(t reflect.Type) []field {
	if all, ok := fieldCache.Load(t); ok {
		return all.([]field)
	}
	var all []field
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" && !f.Anonymous {
				name = f.Name
			}
			all = append(all, field{i, name, ruleOf(f)})
		}
	}
	fieldCache.Store(t, all)
	return all
}

// ruleOf parses the tags of a field. They are part of the program, so a mistake panics.
func ruleOf(f reflect.StructField) rule {
	r := rule{words: strings.Fields(f.Tag.Get("oneof"))}
	text, ok := f.Tag.Lookup("within")
	if !ok {
		return r
	}
	low, high, _ := strings.Cut(text, "..")
	var errLow, errHigh error
	r.low, errLow = strconv.ParseInt(low, 10, 64)
	r.high, errHigh = strconv.ParseInt(high, 10, 64)
	if r.ranged = true; errLow != nil || errHigh != nil || r.low > r.high {
		panic(fmt.Sprintf("the tag within:%q of field %s is no range", text, f.Name))
	}
	return r
}
