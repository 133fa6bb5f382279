package describe

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one impossible part of a configuration.
type Problem struct {
	Path string // key, or dotted path of keys; empty for the configuration as a whole
	Text string // what was found and what was expected
	Hint string // what to write or do instead; may be empty
}

// Problems collects the impossible values of parameters.
type Problems []Problem

// Add notes that a value is impossible; the text says what was found and what was expected.
func (p *Problems) Add(path, format string, args ...any) {
	*p = append(*p, Problem{Path: path, Text: fmt.Sprintf(format, args...)})
}

// Err is the first problem as an error; nil if there is none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s", p[0].Path, p[0].Text)
}

// Unless notes that a value is impossible if a condition does not hold.
func (p *Problems) Unless(ok bool, path, format string, args ...any) {
	if !ok {
		p.Add(path, format, args...)
	}
}

// Percent wants 0 to 100.
func (p *Problems) Percent(path string, n float64) {
	if !(n >= 0 && n <= 100) {
		p.Add(path, "must be 0 to 100 percent, got %v", n)
	}
}

// OneOf wants one of some values.
func (p *Problems) OneOf(path, value string, values ...string) {
	if !slices.Contains(values, value) {
		p.Add(path, "must be %s, got %q", strings.Join(values, " or "), value)
	}
}

// Between wants a number of a range.
func Between[Number ~int | ~int64](p *Problems, path string, n, least, most Number) {
	if n < least || n > most {
		p.Add(path, "must be %v to %v, got %v", least, most, n)
	}
}

// Multiple wants a size that is one or more times another, up to a largest.
func Multiple[Size interface {
	~int64
	fmt.Stringer
}](p *Problems, path string, n, of, most Size) {
	if n < of || n > most || n%of != 0 {
		p.Add(path, "must be a multiple of %s up to %s, got %s", of, most, n)
	}
}
