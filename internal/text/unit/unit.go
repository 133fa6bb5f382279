// Package unit has the quantities that studies and results are written in: sizes,
// spans of time and amounts of CPU, as people write them.
package unit

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/text/words"
)

// Bytes is a size. Text takes decimal (kB, MB, GB, TB) and binary (KiB, MiB,
// GiB, TiB and Kubernetes' Ki, Mi, Gi, Ti) units; a number without one is refused, except 0,
// because its unit is not known.
type Bytes int64

var byteUnits = []struct {
	suffix string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// The expected form of a quantity, for the error of one that cannot be parsed.
const (
	SizeExpected     = "a size: a number and a unit, such as 10MB or 5GiB"
	DurationExpected = "a duration: a number and a unit, such as 10ms, 30s or 5m"
	CoresExpected    = "a number of cores, such as 0.5 or 4, or thousandths of a core, such as 500m"
)

// Error is a quantity that cannot be read, with what was probably meant.
type Error struct{ Found, Expected, Suggestion string }

// Error says all three.
func (e *Error) Error() string {
	text := e.Found + "; expected " + e.Expected
	if e.Suggestion != "" {
		text += "; did you mean " + e.Suggestion + "?"
	}
	return text
}

// ParseBytes reads a size such as "5GiB", "40Gi", "10MB" or "512B".
func ParseBytes(text string) (Bytes, error) {
	number, unit := splitUnit(text)
	if unit == "" && IsDecimal(number) && strings.Trim(number, "0.") != "" {
		return 0, &Error{strconv.Quote(text) + " has no unit", SizeExpected, suggestUnit(number)}
	}
	return parseBytes(text, number, unit)
}

func parseBytes(text, number, unit string) (Bytes, error) {
	factor, known := byteFactor(unit)
	if !known || !IsDecimal(number) {
		return 0, &Error{strconv.Quote(text) + " is not a size", SizeExpected, suggestSize(number, unit)}
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil && whole <= math.MaxInt64/factor {
		return Bytes(whole * factor), nil
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n*float64(factor) >= math.MaxInt64 {
		return 0, &Error{strconv.Quote(text) + " is too large a size", "at most 8 EiB", ""}
	}
	return Bytes(math.Round(n * float64(factor))), nil
}

// splitUnit parts "5 GiB" into "5" and "GiB".
func splitUnit(text string) (number, unit string) {
	s := strings.TrimSpace(text)
	i := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789.,+-", r) })
	if i < 0 {
		return s, ""
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i:])
}

// IsDecimal takes digits with at most one point between them.
func IsDecimal(s string) bool {
	whole, fraction, point := strings.Cut(s, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (!point || digits(fraction))
}

func byteFactor(unit string) (int64, bool) {
	if unit == "" {
		return 1, true
	}
	for _, u := range byteUnits {
		if u.suffix == unit {
			return u.factor, true
		}
	}
	return 0, false
}

// suggestUnit guesses the unit of a bare number: one that is whole in a larger unit was
// counted in bytes, a small one in what sizes are usually written in.
func suggestUnit(number string) string {
	const small = 1000
	v, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil || v < small:
		return number + "MB, " + number + "GB or " + number + "TB"
	case Bytes(v).Exact() != number+"B":
		return Bytes(v).Exact() + " or " + number + "B"
	}
	return number + "B"
}

// sizeUnit matches what was meant as the unit of a size, and takes it apart: its letter,
// and the rest of "iB" or of "ibi" where it is binary.
var sizeUnit = regexp.MustCompile(`^(?i)([kmgt])(?:(i)(?:b|bytes?)?|(?:b|bytes?|bs)?)$|^(?i)([kmgt])(?:ilo|ega|iga|era|igs?|egs?)(?:b|bytes?)?$|^(?i)([kmgt])(?:ibi|ebi)(?:b|bytes?)?$`)

// suggestSize guesses from the unit's letters: "gb" is GB, "G" may be GB or GiB.
func suggestSize(number, unit string) string {
	if number = WithPoint(number); !IsDecimal(number) {
		return ""
	}
	for _, u := range byteUnits {
		if strings.EqualFold(u.suffix, unit) {
			return number + u.suffix
		}
	}
	m := sizeUnit.FindStringSubmatch(unit)
	if m == nil {
		return ""
	}
	letter := strings.ToUpper(m[1] + m[3] + m[4])
	if m[2] != "" || m[4] != "" {
		return number + letter + "iB"
	}
	return number + strings.Replace(letter, "K", "k", 1) + "B or " + number + letter + "iB"
}

// WithPoint is a number whose decimal sign was written as a comma, with a point.
func WithPoint(number string) string {
	if strings.Count(number, ",") == 1 {
		return strings.Replace(number, ",", ".", 1)
	}
	return number
}

// String prints the largest binary or decimal unit that divides the size
// exactly, when that takes at most four digits, and else what Rough does.
func (b Bytes) String() string {
	const short = 10_000
	for _, u := range []struct {
		suffix string
		factor int64
	}{{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}} {
		if n := int64(b) / u.factor; b != 0 && int64(b)%u.factor == 0 && n < short && n > -short {
			return strconv.FormatInt(n, 10) + u.suffix
		}
	}
	return b.Rough()
}

// Rough prints three significant digits with a binary unit, as estimates and
// measurements deserve.
func (b Bytes) Rough() string { return strings.ReplaceAll(words.Binary(int64(b)), " ", "") }

// Exact is the size as String writes it where that is exact, else in bytes.
func (b Bytes) Exact() string {
	if back, err := ParseBytes(b.String()); err == nil && back == b {
		return b.String()
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// MarshalText writes the size as String does when that is exact, else in bytes.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.Exact()), nil }

// UnmarshalText reads what ParseBytes reads.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBytes(string(text))
	return err
}

// UnmarshalJSON takes bare numbers as bytes, too: recordings of earlier versions have them.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a size is written as text with a unit, such as \"10MB\"")
	}
	number, unit := splitUnit(text)
	size, err := parseBytes(text, number, unit)
	if err == nil {
		*b = size
	}
	return err
}

// Cores is an amount of CPU. Text takes a number of cores, 0.5, and Kubernetes'
// thousandths of one, 500m.
type Cores float64

// UnmarshalText reads a number of cores or of thousandths of a core.
func (c *Cores) UnmarshalText(text []byte) error {
	number, thousandths := strings.CutSuffix(strings.TrimSpace(string(text)), "m")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !IsNumber(number) || math.IsInf(v, 0) {
		return &Error{strconv.Quote(string(text)) + " is not a number of cores", CoresExpected, suggestCores(string(text))}
	}
	if thousandths {
		v /= 1000
	}
	*c = Cores(v)
	return nil
}

// UnmarshalJSON takes a number, as MarshalJSON of a float64 writes it.
func (c *Cores) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*float64)(c)) }

// suggestCores guesses from the unit's letters: "2 cores" is 2, "50%" is 0.5.
func suggestCores(text string) string {
	number, unit := splitUnit(text)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !IsDecimal(number) {
		return ""
	}
	switch u := strings.ToLower(unit); {
	case u == "%":
		return words.Exact(v / 100)
	case strings.HasPrefix(u, "m"):
		return number + "m"
	case strings.HasPrefix(u, "c") || strings.HasPrefix(u, "vc"):
		return number
	}
	return ""
}

// Duration is a time span written as Go does: "10ms", "2m", "1h30m".
type Duration time.Duration

// D returns the span as a time.Duration.
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
	s := strings.TrimSpace(string(text))
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return &Error{strconv.Quote(string(text)) + " is not a duration", DurationExpected, suggestDuration(s)}
	}
	*d = Duration(v)
	return nil
}

// timeUnits are the units of time as people write them, and as a study does.
var timeUnits = func() map[string]string {
	all := map[string]string{}
	for unit, names := range map[string]string{
		"us": "us µs usec usecs micros microsecond microseconds",
		"ms": "ms msec msecs milli millis millisecond milliseconds",
		"s":  "s sec secs second seconds",
		"m":  "m min mins minute minutes",
		"h":  "h hr hrs hour hours",
		"d":  "d day days",
	} {
		for _, name := range strings.Fields(names) {
			all[name] = unit
		}
	}
	return all
}()

// suggestDuration guesses from the unit's name: "5 min" is 5m. A number alone is
// seconds or milliseconds.
func suggestDuration(text string) string {
	if v, err := time.ParseDuration(strings.ReplaceAll(strings.ToLower(text), " ", "")); err == nil && v > 0 {
		return strings.ReplaceAll(strings.ToLower(text), " ", "")
	}
	number, unit := splitUnit(text)
	if number = WithPoint(number); !IsDecimal(number) {
		return ""
	}
	switch unit = timeUnits[strings.ToLower(unit)]; {
	case number == strings.TrimSpace(text):
		return number + "s or " + number + "ms"
	case unit == "d":
		days, err := strconv.ParseFloat(number, 64)
		if err != nil || days >= 1000 {
			return ""
		}
		return words.Exact(24*days) + "h"
	case unit != "":
		return number + unit
	}
	return ""
}

// UnmarshalJSON takes text only, so that no unit is guessed.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("a duration is written as text with a unit, such as \"10ms\"")
	}
	return d.UnmarshalText([]byte(s))
}

// IsNumber refuses the forms that ParseFloat accepts beyond decimal numbers: inf, nan,
// hexadecimal.
func IsNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789.eE+-") == "" && strings.ContainsAny(text, "0123456789")
}
