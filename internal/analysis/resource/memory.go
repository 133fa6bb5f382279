package resource

import (
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
)

// Shares of the time that were spent waiting for memory from which response times are
// said to come from it: something waited, or everything that was there to run did (kernel
// documentation, accounting/psi). A page that is read back is in both.
const (
	someWaited = 0.25
	allWaited  = 0.1
)

// memoryWait is the time in which what runs on a machine waited for memory: pages had to be
// read back, or others written out first. Busy is the part of it in which nothing else ran.
func memoryWait(h trial.Host) (Resource, bool) {
	some, known := h.Mean(describe.PressureKind, "memory", "some")
	all, _ := h.Mean(describe.PressureKind, "memory", "full")
	r := Resource{Kind: MemoryWait, Utilisation: some, Busy: all}.named(h.Of(trial.Called("waiting for memory")))
	return r, known
}

func (r Resource) waitsLong() bool { return r.Utilisation >= someWaited || r.Busy >= allWaited }
