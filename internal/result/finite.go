package result

import (
	"math"
	"reflect"
)

// makeFinite sets every NaN and infinity in what v points to to 0. A mean of
// nothing is such a number; encoding/json refuses a whole file because of it.
func makeFinite(v any) { makeValueFinite(reflect.ValueOf(v)) }

func makeValueFinite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			makeValueFinite(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				makeValueFinite(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			makeValueFinite(v.Index(i))
		}
	case reflect.Map:
		makeMapFinite(v)
	case reflect.Float64:
		if f := v.Float(); (math.IsNaN(f) || math.IsInf(f, 0)) && v.CanSet() {
			v.SetFloat(0)
		}
	}
}

// makeMapFinite copies values out and in, because map values cannot be set in place.
func makeMapFinite(m reflect.Value) {
	for _, key := range m.MapKeys() {
		value := reflect.New(m.Type().Elem()).Elem()
		value.Set(m.MapIndex(key))
		makeValueFinite(value)
		m.SetMapIndex(key, value)
	}
}
