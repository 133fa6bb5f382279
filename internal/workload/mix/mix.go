// Package mix is a choice among several alternatives by weight, as studies write it:
// "read:60, create:20, delete:20". It takes and gives texts; what the alternatives are,
// its users know.
package mix

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Most is the largest weight. It is arbitrary.
const Most = 1e6

// Part is one alternative.
type Part struct {
	Name   string
	Weight float64 // above 0, up to Most; 1 where none is given
	Given  bool    // the text has a weight
}

// Split takes a mix apart. example is how one is written, for errors.
func Split(text, example string) (parts []Part, err error) {
	for _, one := range strings.Split(text, ",") {
		name, number, given := strings.Cut(strings.TrimSpace(one), ":")
		p := Part{Name: strings.TrimSpace(name), Weight: 1, Given: given}
		if given {
			if p.Weight, err = strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil || !Valid(p.Weight) {
				return nil, fmt.Errorf("%q is not a weight above 0; write a mix as %s", number, example)
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// Valid reports whether a number may be a weight.
func Valid(weight float64) bool { return weight > 0 && weight <= Most }

// Join writes what Split takes apart, all with their weights.
func Join(parts []Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, fmt.Sprintf("%s:%g", p.Name, p.Weight))
	}
	return strings.Join(texts, ", ")
}

// Draw gives the number of one of some alternatives.
func Draw[T any](random *rand.Rand, all []T, weight func(T) float64) int {
	total := 0.0
	for _, one := range all {
		total += weight(one)
	}
	at := random.Float64() * total
	for i, one := range all {
		if at -= weight(one); at < 0 {
			return i
		}
	}
	return len(all) - 1
}

// UnmarshalJSON reads a mix that is given as a text, which encoding/json would not do for
// a slice.
func UnmarshalJSON(data []byte, into encoding.TextUnmarshaler) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	return into.UnmarshalText([]byte(text))
}
