package registry

import (
	"maps"
	"slices"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/doctor"
)

// Checkers returns the checkers of the kinds that need something of the machine, engines first.
func Checkers(parts facts.Parts) (all []doctor.Checker) {
	for _, name := range slices.Sorted(maps.Keys(parts.Engines)) {
		all = append(all, parts.Engines[name].Capabilities().Checker)
	}
	for _, name := range slices.Sorted(maps.Keys(parts.Kinds)) {
		all = append(all, parts.Kinds[name].Capabilities().Checker)
	}
	if parts.Platform != nil {
		all = append(all, parts.Platform.Capabilities().Checker)
	}
	return slices.DeleteFunc(all, func(c doctor.Checker) bool { return c == nil })
}
