package supportbundle

import (
	"bytes"
	"encoding/json"
	"path"
	"reflect"
	"strings"
)

// Shapes are what a run's files hold, by their base names: a function makes an empty value of
// the type of a file, or of each of its lines. What a type has no field for is not packed.
type Shapes map[string]func() any

// shaped is the text of a file with only what its type has, as generic JSON; nil where it is not
// of that type. Of lines, those that are not are counted.
func (s Shapes) shaped(name string, text []byte) (all []any, lost int) {
	shape := s[path.Base(name)]
	if path.Ext(name) != ".jsonl" {
		v, err := generic(text, shape())
		if err != nil {
			return nil, 1
		}
		return []any{v}, 0
	}
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, err := generic(line, shape())
		if err != nil {
			lost++
			continue
		}
		all = append(all, v)
	}
	return all, lost
}

// generic reads a text into a value of a type of ours and gives what that writes.
func generic(text []byte, into any) (v any, err error) {
	if err := json.Unmarshal(text, into); err != nil {
		return nil, err
	}
	written, err := json.Marshal(into)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(written))
	d.UseNumber()
	return v, d.Decode(&v)
}

// keys are the names of all fields that the types have in JSON.
func (s Shapes) keys() map[string]bool {
	keys, seen := map[string]bool{}, map[reflect.Type]bool{}
	for _, shape := range s {
		addKeys(reflect.TypeOf(shape()), keys, seen)
	}
	return keys
}

func addKeys(t reflect.Type, keys map[string]bool, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		addKeys(t.Elem(), keys, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				keys[name] = true
			}
			addKeys(f.Type, keys, seen)
		}
	}
}
