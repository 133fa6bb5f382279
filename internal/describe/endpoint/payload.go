package endpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Payload is the part of an endpoint that only its kind has, as JSON. It passes unchanged
// through code that does not know the kind. The zero Payload is empty.
type Payload struct{ text string }

// With makes a payload of a value of the kind's type, a struct of plain fields.
func With(v any) Payload {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("%T is no payload: %v", v, err)) // a mistake in the program
	}
	return Payload{string(text)}
}

// As decodes the payload of an endpoint into its kind's type. It fails if there is none, or
// if it is another kind's.
func As[T any](e Endpoint) (v T, err error) {
	if e.Payload == (Payload{}) {
		return v, fmt.Errorf("the endpoint of role %s (%s) has no %T", e.Role, e.Kind, v)
	}
	d := json.NewDecoder(bytes.NewReader([]byte(e.Payload.text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		var none T
		return none, fmt.Errorf("the endpoint of role %s (%s) has no %T: %w", e.Role, e.Kind, v, err)
	}
	return v, nil
}

// Replace returns the payload with every text in it replaced.
func (p Payload) Replace(text func(string) string) Payload {
	if p == (Payload{}) {
		return p
	}
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(p.text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic("a payload is no JSON: " + err.Error()) // With and UnmarshalJSON take nothing else
	}
	return With(replaced(v, text))
}

func replaced(v any, text func(string) string) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case []any:
		for i := range v {
			v[i] = replaced(v[i], text)
		}
	case map[string]any:
		for key := range v {
			v[key] = replaced(v[key], text)
		}
	}
	return v
}

// Mentions reports whether a text in it contains another.
func (p Payload) Mentions(text string) (found bool) {
	p.Replace(func(s string) string {
		found = found || bytes.Contains([]byte(s), []byte(text))
		return s
	})
	return found
}

// MarshalJSON implements json.Marshaler.
func (p Payload) MarshalJSON() ([]byte, error) {
	if p == (Payload{}) {
		return []byte("null"), nil
	}
	return []byte(p.text), nil
}

// UnmarshalJSON implements json.Unmarshaler; null is none.
func (p *Payload) UnmarshalJSON(text []byte) error {
	*p = Payload{}
	if string(text) == "null" {
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	p.text = compact.String()
	return nil
}
