package registry

import (
	"maps"
	"slices"

	"plimsoll/internal/campaign"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/platform"
)

// Checkers are the kinds that need something of the machine, engines first.
func Checkers(parts campaign.Parts) []doctor.Checker {
	all := checkersIn(parts.Engines)
	all = append(all, checkersIn(parts.Kinds)...)
	all = append(all, checkersIn(parts.Workloads)...)
	return append(all, checkersIn(map[string]platform.Kind{"": parts.Platform})...)
}

func checkersIn[K any](kinds map[string]K) (all []doctor.Checker) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if c, ok := any(kinds[name]).(doctor.Checker); ok {
			all = append(all, c)
		}
	}
	return all
}
