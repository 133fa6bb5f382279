// Package capability lists what the structs of capabilities say: those that kinds of storage,
// engines, platforms and workloads return.
package capability

import "reflect"

// tag is the tag of a field that names its capability.
const tag = "can"

// Of names the capabilities that a struct of them has, in the order of its fields: those that are
// not zero. A field without a name of its own is a struct of more.
func Of(capabilities any) []string { return names(reflect.ValueOf(capabilities), false) }

// All names all capabilities that a struct of them could have.
func All(capabilities any) []string { return names(reflect.ValueOf(capabilities), true) }

func names(v reflect.Value, all bool) (can []string) {
	for field, value := range v.Fields() {
		name := field.Tag.Get(tag)
		switch {
		case name == "":
			can = append(can, names(value, all)...)
		case all || !value.IsZero():
			can = append(can, name)
		}
	}
	return can
}
