package smallfiles

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"plimsoll/internal/workload/mix"
)

// Mix is what mixed does: "read:60, create:20, delete:20".
type Mix []Weighted

// Weighted is one verb of a mix.
type Weighted struct {
	Verb   string
	Weight float64
}

// ParseMix reads what String writes.
func ParseMix(text string) (m Mix, err error) {
	const example = "read:60, create:20, delete:20"
	parts, err := mix.Split(text, example)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if !p.Given {
			return nil, fmt.Errorf("%q has no weight; write a mix as %s", p.Name, example)
		}
		m = append(m, Weighted{p.Name, p.Weight})
	}
	return m, m.check()
}

// check refuses what is no verb, or is there twice.
func (m Mix) check() error {
	if len(m) == 0 {
		return fmt.Errorf("must have at least one of %s with its weight", strings.Join(verbs(), ", "))
	}
	for i, w := range m {
		if !slices.Contains(verbs(), w.Verb) {
			return fmt.Errorf("must be made of %s, got %q", strings.Join(verbs(), ", "), w.Verb)
		}
		if m[:i].weight(w.Verb) > 0 {
			return fmt.Errorf("has %s twice", w.Verb)
		}
		if !mix.Valid(w.Weight) {
			return fmt.Errorf("the weight of %s must be above 0, got %v", w.Verb, w.Weight)
		}
	}
	return nil
}

// weight is the weight of a verb, 0 where the mix has none of it.
func (m Mix) weight(verb string) float64 {
	for _, w := range m {
		if w.Verb == verb {
			return w.Weight
		}
	}
	return 0
}

// draw gives a verb.
func (m Mix) draw(random *rand.Rand) string {
	return m[mix.Draw(random, m, func(w Weighted) float64 { return w.Weight })].Verb
}

// String writes the mix as a study does.
func (m Mix) String() string {
	var parts []mix.Part
	for _, w := range m {
		parts = append(parts, mix.Part{Name: w.Verb, Weight: w.Weight})
	}
	return mix.Join(parts)
}

// MarshalText implements encoding.TextMarshaler.
func (m Mix) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mix) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMix(string(text))
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Mix) UnmarshalJSON(data []byte) error { return mix.UnmarshalJSON(data, m) }
