package registry_test

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plimsoll/internal/cli/registry"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// What the schema of studies says of a parameter's bounds is what its part refuses: both are from
// the field's tags.
func TestBoundsOfTheSchemaAreKept(t *testing.T) {
	type part struct {
		name     string
		defaults func() any
		validate func(any) []describe.Problem
	}
	var all []part
	parts := registry.Parts()
	for _, name := range slices.Sorted(maps.Keys(parts.Workloads)) {
		all = append(all, part{"workload " + name, func() any { return parts.Workloads[name].Defaults() }, func(p any) []describe.Problem { return p.(workload.Parameters).Validate() }})
	}
	for _, name := range slices.Sorted(maps.Keys(parts.Kinds)) {
		all = append(all, part{"storage " + name, parts.Kinds[name].Defaults, parts.Kinds[name].Validate})
	}
	tried := 0
	for _, p := range all {
		if wrong := describe.Bounds(p.defaults()); len(wrong) > 0 {
			t.Errorf("%s: the defaults break their bounds: %v", p.name, wrong)
		}
		of := reflect.TypeOf(p.defaults()).Elem()
		for i := range of.NumField() {
			f := of.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			for _, n := range outside(f.Tag.Get("jsonschema")) {
				params := p.defaults()
				v := reflect.ValueOf(params).Elem().Field(i)
				switch {
				case n == 0 && strings.Contains(f.Tag.Get("json"), ",omitempty"):
					continue // it is left out
				case v.CanInt():
					v.SetInt(int64(n))
				case v.CanFloat():
					v.SetFloat(n)
				default:
					continue
				}
				tried++
				if !slices.ContainsFunc(p.validate(params), func(w describe.Problem) bool { return w.Path == key }) {
					t.Errorf("%s takes %s: %v, which the schema forbids", p.name, key, n)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d values were tried", tried)
	}
}

// outside are numbers that a tag forbids.
func outside(tag string) (all []float64) {
	for _, part := range strings.Split(tag, ",") {
		name, text, _ := strings.Cut(part, "=")
		n, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
		case name == "minimum":
			all = append(all, n-1)
		case name == "maximum":
			all = append(all, n+1)
		case name == "exclusiveMinimum", name == "exclusiveMaximum":
			all = append(all, n)
		}
	}
	return all
}
