package resource

import (
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
)

// A core that a thread fills, while the others have room for more. The busiest core is not
// always the same one, and the busiest of many is busier than each, so that more is asked of
// it than of a resource that is known.
const (
	fullOfOne = 0.95 // the busiest core, on average
	othersAt  = 0.5  // all others together, at most
)

// fullCore is the busiest core of a machine whose others are not busy: what runs on one
// thread can do no more, however many cores there are.
func fullCore(h trial.Host) (Resource, bool) {
	busiest, known := h.Mean(describe.CPUKind, "", "core_max")
	busy, measured := h.Mean(describe.CPUKind, "", "utilisation")
	if !known || !measured || h.Cores == 1 {
		return Resource{}, false
	}
	others := busy // with an unknown number of cores, at most
	if h.Cores > 1 {
		others = (busy*h.Cores - busiest) / (h.Cores - 1)
	}
	return Resource{Kind: Core, Utilisation: busiest, Servers: 1}.named(h.Whole("busiest core")), busiest >= fullOfOne && others <= othersAt
}
