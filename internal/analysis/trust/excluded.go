// This file says which instances of a trial failed by themselves and were set aside, and
// how much that weighs.

package trust

import (
	"slices"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// Weights, as shares of a trial's instances, from which a doubt is a caution and serious.
const (
	setAsideCaution = 0.01
	setAsideSerious = 0.05
)

// SetAsideWeight is the share that was set aside. Where one failed while users were at work it is
// Caution at least: the load may be why.
func SetAsideWeight(t *result.Trial) float64 {
	share := stats.Ratio(float64(len(t.SetAside)), float64(t.Rung))
	if slices.ContainsFunc(t.SetAside, func(a result.Exclusion) bool { return a.Stage == result.StageDrive }) {
		return max(share, setAsideCaution)
	}
	return share
}

// mostNamed is how many instances a warning names.
const mostNamed = 3

// namedInstances are the first instances that were set aside, and how many more there are.
func namedInstances(all []result.Exclusion) (named []Reason) {
	for _, a := range all[:min(len(all), mostNamed)] {
		form, args := ExcludedInstance, []Arg{Name(a.Whose())}
		if a.Node != "" {
			form, args = ExcludedOnNode, append(args, Name(a.Node))
		}
		named = append(named, Reason{Excluded, form, append(args, Name(a.When()), Name(a.Briefly()))})
	}
	if more := len(all) - len(named); more > 0 {
		named = append(named, Reason{Excluded, ExcludedMore, []Arg{Count(more)}})
	}
	return named
}
