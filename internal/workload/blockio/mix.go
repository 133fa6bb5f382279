package blockio

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"plimsoll/internal/unit"
)

// Mix is one block size, or several with their weights: "4KiB", or
// "4KiB:80, 64KiB:20".
type Mix []Weighted

// Weighted is one size of a mix.
type Weighted struct {
	Bytes  int64
	Weight float64
}

// ParseMix reads what String writes.
func ParseMix(text string) (Mix, error) {
	var m Mix
	for _, part := range strings.Split(text, ",") {
		size, weight, weighted := strings.Cut(strings.TrimSpace(part), ":")
		bytes, err := unit.ParseBytes(size)
		if err != nil {
			return nil, err
		}
		w := Weighted{Bytes: int64(bytes), Weight: 1}
		if weighted {
			if w.Weight, err = strconv.ParseFloat(weight, 64); err != nil || !(w.Weight > 0 && w.Weight <= 1e6) {
				return nil, fmt.Errorf("%q is not a weight; write a mix as 4KiB:80, 64KiB:20", weight)
			}
		} else if strings.Contains(text, ",") {
			return nil, errors.New("each size of a mix needs a weight, such as 4KiB:80, 64KiB:20")
		}
		m = append(m, w)
	}
	return m, nil
}

// String writes the mix as a study does.
func (m Mix) String() string {
	if len(m) == 1 {
		return unit.Bytes(m[0].Bytes).String()
	}
	var parts []string
	for _, w := range m {
		parts = append(parts, fmt.Sprintf("%s:%g", unit.Bytes(w.Bytes), w.Weight))
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

// largest is the largest size of the mix, 0 of none.
func (m Mix) largest() (n int64) {
	for _, w := range m {
		n = max(n, w.Bytes)
	}
	return n
}

// draw gives the number of a size.
func (m Mix) draw(random *rand.Rand) int {
	if len(m) == 1 {
		return 0
	}
	total := 0.0
	for _, w := range m {
		total += w.Weight
	}
	at := random.Float64() * total
	for i, w := range m {
		if at -= w.Weight; at < 0 {
			return i
		}
	}
	return len(m) - 1
}
