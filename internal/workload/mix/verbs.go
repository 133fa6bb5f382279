package mix

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Verbs are operations with their weights: "read:60, create:20, delete:20".
type Verbs []WeightedVerb

// WeightedVerb is a verb with its weight.
type WeightedVerb struct {
	Verb   string
	Weight float64
}

const verbsExample = "read:60, create:20, delete:20"

// ParseVerbs reads what String writes. It accepts unknown verbs; Check refuses them.
func ParseVerbs(text string) (m Verbs, err error) {
	parts, err := Split(text, verbsExample)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if !p.Given {
			return nil, fmt.Errorf("%q has no weight; write a mix as %s", p.Name, verbsExample)
		}
		m = append(m, WeightedVerb{p.Name, p.Weight})
	}
	return m, nil
}

// Check refuses verbs that are not among the known ones or that occur twice.
func (m Verbs) Check(known []string) error {
	if len(m) == 0 {
		return fmt.Errorf("must have at least one of %s with its weight", strings.Join(known, ", "))
	}
	for i, w := range m {
		if !slices.Contains(known, w.Verb) {
			return fmt.Errorf("must be made of %s, got %q", strings.Join(known, ", "), w.Verb)
		}
		if m[:i].Of(w.Verb) > 0 {
			return fmt.Errorf("has %s twice", w.Verb)
		}
		if !Valid(w.Weight) {
			return fmt.Errorf("the weight of %s must be above 0, got %v", w.Verb, w.Weight)
		}
	}
	return nil
}

// Of is the weight of a verb, 0 where the mix has none of it.
func (m Verbs) Of(verb string) float64 {
	for _, w := range m {
		if w.Verb == verb {
			return w.Weight
		}
	}
	return 0
}

// Draw returns a verb.
func (m Verbs) Draw(random *rand.Rand) string {
	return m[Draw(random, m, func(w WeightedVerb) float64 { return w.Weight })].Verb
}

// String writes the mix as a study does.
func (m Verbs) String() string {
	var parts []Part
	for _, w := range m {
		parts = append(parts, Part{Name: w.Verb, Weight: w.Weight})
	}
	return Join(parts)
}

// MarshalText implements encoding.TextMarshaler.
func (m Verbs) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Verbs) UnmarshalText(text []byte) (err error) {
	*m, err = ParseVerbs(string(text))
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Verbs) UnmarshalJSON(data []byte) error { return UnmarshalJSON(data, m) }
