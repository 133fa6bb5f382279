package study

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bytes is a size. Text takes decimal (kB, MB, GB, TB) and binary (KiB, MiB,
// GiB, TiB and Kubernetes' Ki, Mi, Gi, Ti) units; a bare number is bytes.
type Bytes int64

var byteUnits = []struct {
	suffix string
	factor float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// ParseBytes reads a size such as "5GiB", "40Gi", "10MB" or "4096".
func ParseBytes(text string) (Bytes, error) {
	s := strings.TrimSpace(text)
	factor := 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || math.IsNaN(n) || n*factor > math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size: write a number and a unit, such as 10MB or 5GiB", text)
	}
	return Bytes(math.Round(n * factor)), nil
}

// String prints the largest binary or decimal unit that divides the size
// exactly, or else three significant digits with a binary unit.
func (b Bytes) String() string {
	for _, u := range []struct {
		suffix string
		factor int64
	}{{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}} {
		if b != 0 && int64(b)%u.factor == 0 {
			return strconv.FormatInt(int64(b)/u.factor, 10) + u.suffix
		}
	}
	for _, u := range []struct {
		suffix string
		factor float64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if float64(b) >= u.factor {
			return strconv.FormatFloat(float64(b)/u.factor, 'g', 3, 64) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// MarshalText writes the size as String does when that is exact, else in bytes.
func (b Bytes) MarshalText() ([]byte, error) {
	if back, err := ParseBytes(b.String()); err == nil && back == b {
		return []byte(b.String()), nil
	}
	return []byte(strconv.FormatInt(int64(b), 10)), nil
}

// UnmarshalText reads what ParseBytes reads.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBytes(string(text))
	return err
}

// Duration is a time span written as Go does: "10ms", "2m", "1h30m".
type Duration time.Duration

// D gives the span as a time.Duration.
func (d Duration) D() time.Duration { return time.Duration(d) }

// String prints the span without needless zeros: "5m", not "5m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes the span as text.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a span; a bare number is refused because its unit is
// not known.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration: write a number and a unit, such as 10ms, 30s or 5m", text)
	}
	*d = Duration(v)
	return nil
}

// UnmarshalJSON takes text only, so that no unit is guessed.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("a duration is written as text with a unit, such as \"10ms\"")
	}
	return d.UnmarshalText([]byte(s))
}
