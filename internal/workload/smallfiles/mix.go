package smallfiles

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"encoding/json"
)

// Mix is what mixed does: "read:60, create:20, delete:20".
type Mix []Weighted

// Weighted is one verb of a mix.
type Weighted struct {
	Verb   string
	Weight float64
}

// mostWeight is arbitrary.
const mostWeight = 1e6

// ParseMix reads what String writes.
func ParseMix(text string) (m Mix, err error) {
	for _, part := range strings.Split(text, ",") {
		verb, number, _ := strings.Cut(strings.TrimSpace(part), ":")
		weight, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(weight > 0 && weight <= mostWeight) {
			return nil, fmt.Errorf("%q has no weight above 0; write a mix as read:60, create:20, delete:20", part)
		}
		m = append(m, Weighted{strings.TrimSpace(verb), weight})
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
		if !(w.Weight > 0 && w.Weight <= mostWeight) {
			return fmt.Errorf("the weight of %s must be above 0, got %v", w.Verb, w.Weight)
		}
	}
	return nil
}

// weight is that of a verb, 0 where the mix has none of it.
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
	total := 0.0
	for _, w := range m {
		total += w.Weight
	}
	at := random.Float64() * total
	for _, w := range m {
		if at -= w.Weight; at < 0 {
			return w.Verb
		}
	}
	return m[len(m)-1].Verb
}

// String writes the mix as a study does.
func (m Mix) String() string {
	var parts []string
	for _, w := range m {
		parts = append(parts, fmt.Sprintf("%s:%g", w.Verb, w.Weight))
	}
	return strings.Join(parts, ", ")
}

// MarshalText implements encoding.TextMarshaler.
func (m Mix) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mix) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMix(string(text))
	return err
}

// UnmarshalJSON reads the text, which encoding/json would not do for a slice
// that is given as one.
func (m *Mix) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	return m.UnmarshalText([]byte(text))
}
