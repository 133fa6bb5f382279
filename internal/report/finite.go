package report

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
)

// marshal is json.Marshal, except that NaN and infinities become null instead
// of an error: one number that could not be computed must not cost the report.
func marshal(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	var unsupported *json.UnsupportedValueError
	if errors.As(err, &unsupported) {
		return json.Marshal(finiteCopy(reflect.ValueOf(v)))
	}
	return data, err
}

// finiteCopy turns a value into maps, slices and scalars with nil for numbers
// that JSON cannot hold. It follows json tags as far as the report's types use
// them: names, omitempty, omitzero and "-".
func finiteCopy(v reflect.Value) any {
	if v.IsValid() && v.CanInterface() {
		if m, ok := v.Interface().(json.Marshaler); ok && !isNil(v) {
			return m
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return finiteCopy(v.Elem())
	case reflect.Float32, reflect.Float64:
		if !finite(v.Float()) {
			return nil
		}
		return v.Interface()
	case reflect.Slice, reflect.Array:
		return finiteSlice(v)
	case reflect.Map:
		return finiteMap(v)
	case reflect.Struct:
		return finiteStruct(v)
	case reflect.Invalid:
		return nil
	default:
		return v.Interface()
	}
}

// isNil reports whether v is a nil pointer or interface.
func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
}

func finiteSlice(v reflect.Value) any {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return nil
	}
	out := make([]any, v.Len())
	for i := range out {
		out[i] = finiteCopy(v.Index(i))
	}
	return out
}

func finiteMap(v reflect.Value) any {
	if v.IsNil() {
		return nil
	}
	out := map[string]any{}
	for _, key := range v.MapKeys() {
		out[key.String()] = finiteCopy(v.MapIndex(key))
	}
	return out
}

func finiteStruct(v reflect.Value) map[string]any {
	out := map[string]any{}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		value := v.Field(i)
		if name == "" && field.Anonymous && value.Kind() == reflect.Struct {
			maps.Copy(out, finiteStruct(value))
			continue
		}
		if name == "" {
			name = field.Name
		}
		if omitted(value, options) {
			continue
		}
		out[name] = finiteCopy(value)
	}
	return out
}

// omitted reports whether the options leave the value out.
func omitted(v reflect.Value, options string) bool {
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			switch v.Kind() {
			case reflect.Map, reflect.Slice, reflect.String, reflect.Array:
				return v.Len() == 0
			case reflect.Struct:
				return false
			default:
				return v.IsZero()
			}
		case "omitzero":
			return v.IsZero()
		}
	}
	return false
}
