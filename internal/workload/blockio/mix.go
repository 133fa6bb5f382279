package blockio

import (
	"errors"
	"math/rand/v2"

	"plimsoll/internal/unit"
	"plimsoll/internal/workload/mix"
)

// Mix is one block size, or several with their weights: "4KiB", or
// "4KiB:80, 64KiB:20".
type Mix []Weighted

// Weighted is one size of a mix.
type Weighted struct {
	Bytes  int64
	Weight float64
}

const example = "4KiB:80, 64KiB:20"

// ParseMix reads what String writes.
func ParseMix(text string) (Mix, error) {
	parts, err := mix.Split(text, example)
	if err != nil {
		return nil, err
	}
	var m Mix
	for _, p := range parts {
		bytes, err := unit.ParseBytes(p.Name)
		if err != nil {
			return nil, err
		}
		if !p.Given && len(parts) > 1 {
			return nil, errors.New("each size of a mix needs a weight, such as " + example)
		}
		m = append(m, Weighted{Bytes: int64(bytes), Weight: p.Weight})
	}
	return m, nil
}

// String writes the mix as a study does.
func (m Mix) String() string {
	if len(m) == 1 {
		return unit.Bytes(m[0].Bytes).String()
	}
	var parts []mix.Part
	for _, w := range m {
		parts = append(parts, mix.Part{Name: unit.Bytes(w.Bytes).String(), Weight: w.Weight})
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
	return mix.Draw(random, m, func(w Weighted) float64 { return w.Weight })
}
