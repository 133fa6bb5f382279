// Package capability lists what the structs of capabilities say: those that kinds of storage,
// engines, platforms and workloads return.
package capability

import "reflect"

// tag is the tag of a field that names its capability.
const tag = "has"

// Of names the capabilities that a struct of them has, in the order of its fields: those that are
// not zero. A field without a name of its own is a struct of more.
func Of(capabilities any) []string { return names(reflect.ValueOf(capabilities), true) }

// Missing names those that it lacks.
func Missing(capabilities any) []string { return names(reflect.ValueOf(capabilities), false) }

func names(v reflect.Value, there bool) (all []string) {
	for field, value := range v.Fields() {
		name := field.Tag.Get(tag)
		switch {
		case name == "":
			all = append(all, names(value, there)...)
		case value.IsZero() != there:
			all = append(all, name)
		}
	}
	return all
}
