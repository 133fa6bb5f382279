package trial

import (
	"slices"

	"plimsoll/internal/result"
)

// Events are what happened in a trial, in order of time.
func Events(t *result.Trial) []result.Event {
	return slices.SortedStableFunc(slices.Values(t.Events), func(a, b result.Event) int { return a.At.Compare(b.At) })
}

// Faults are the names of what was injected in the measured phase of some trials, each
// once, in order of time.
func Faults(trials []*result.Trial) (names []string) {
	for _, t := range trials {
		for _, e := range Events(t) {
			within := !e.At.Before(t.MeasureStart) && !e.At.After(t.MeasureEnd)
			if e.Fault != "" && within && !slices.Contains(names, e.Fault) {
				names = append(names, e.Fault)
			}
		}
	}
	return names
}
