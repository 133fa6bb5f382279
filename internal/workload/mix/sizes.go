package mix

import (
	"errors"
	"math/rand/v2"

	"plimsoll/internal/text/unit"
)

// Sizes is one size, or several with their weights: "4KiB", or "4KiB:80, 64KiB:20".
type Sizes []Size

// Size is one of them.
type Size struct {
	Bytes  int64
	Weight float64
}

const sizesExample = "4KiB:80, 64KiB:20"

// ParseSizes reads what String writes.
func ParseSizes(text string) (Sizes, error) {
	parts, err := Split(text, sizesExample)
	if err != nil {
		return nil, err
	}
	var m Sizes
	for _, p := range parts {
		bytes, err := unit.ParseBytes(p.Name)
		if err != nil {
			return nil, err
		}
		if !p.Given && len(parts) > 1 {
			return nil, errors.New("each size of a mix needs a weight, such as " + sizesExample)
		}
		m = append(m, Size{Bytes: int64(bytes), Weight: p.Weight})
	}
	return m, nil
}

// String writes the mix as a study does.
func (m Sizes) String() string { return m.written(unit.Bytes.String) }

func (m Sizes) written(size func(unit.Bytes) string) string {
	if len(m) == 1 {
		return size(unit.Bytes(m[0].Bytes))
	}
	var parts []Part
	for _, w := range m {
		parts = append(parts, Part{Name: size(unit.Bytes(w.Bytes)), Weight: w.Weight})
	}
	return Join(parts)
}

// MarshalText writes the sizes exactly.
func (m Sizes) MarshalText() ([]byte, error) { return []byte(m.written(unit.Bytes.Exact)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Sizes) UnmarshalText(text []byte) (err error) {
	*m, err = ParseSizes(string(text))
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Sizes) UnmarshalJSON(data []byte) error { return UnmarshalJSON(data, m) }

// Largest is the largest size, 0 of none.
func (m Sizes) Largest() (n int64) {
	for _, w := range m {
		n = max(n, w.Bytes)
	}
	return n
}

// Draw returns the number of a size.
func (m Sizes) Draw(random *rand.Rand) int {
	if len(m) == 1 {
		return 0
	}
	return Draw(random, m, func(w Size) float64 { return w.Weight })
}
