package workload

import (
	"fmt"
	"slices"
	"strings"
)

// ParameterErrors collects the impossible values that Validate finds.
type ParameterErrors []ParameterError

// Add notes that a field is impossible; the text says what was found and what was expected.
func (w *ParameterErrors) Add(field, format string, args ...any) {
	*w = append(*w, ParameterError{Field: field, Reason: fmt.Sprintf(format, args...)})
}

// Percent wants 0 to 100.
func (w *ParameterErrors) Percent(field string, n float64) {
	if !(n >= 0 && n <= 100) {
		w.Add(field, "must be 0 to 100 percent, got %v", n)
	}
}

// OneOf wants one of some values.
func (w *ParameterErrors) OneOf(field, value string, values ...string) {
	if !slices.Contains(values, value) {
		w.Add(field, "must be %s, got %q", strings.Join(values, " or "), value)
	}
}

// Between wants a number of a range.
func Between[Number ~int | ~int64](w *ParameterErrors, field string, n, least, most Number) {
	if n < least || n > most {
		w.Add(field, "must be %v to %v, got %v", least, most, n)
	}
}

// Multiple wants a size that is one or more times another, up to a largest.
func Multiple[Size interface {
	~int64
	fmt.Stringer
}](w *ParameterErrors, field string, n, of, most Size) {
	if n < of || n > most || n%of != 0 {
		w.Add(field, "must be a multiple of %s up to %s, got %s", of, most, n)
	}
}
