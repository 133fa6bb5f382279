package describe

import "slices"

// Effort is the servers' cost of some operations, over all their machines. Figures that an
// engine does not count are missing.
type Effort struct {
	Count int64 `json:"count"` // operations that it is of
	// CPU is processor time in seconds. Scheduled is the time that threads had to
	// themselves, waits for the store included, and Blocked the time that parts of the
	// operations waited for others; both are added up over threads and parts.
	CPU       float64 `json:"cpu,omitempty"`
	Scheduled float64 `json:"scheduled,omitempty"` // s
	Blocked   float64 `json:"blocked,omitempty"`   // s
	// InputBytes came from the store, in its own format; SpilledBytes went to disks because
	// memory was short.
	InputBytes   int64 `json:"input_bytes,omitempty"`
	SpilledBytes int64 `json:"spilled_bytes,omitempty"`
	// PeakBytes is the most memory that one of them had at once.
	PeakBytes int64 `json:"peak_bytes,omitempty"`
	// Stages are the steps in which the operations moved data, in the order of the way; none
	// where servers do not count them.
	Stages []Stage `json:"stages,omitempty"`
}

// Plus adds up.
func (e Effort) Plus(o Effort) Effort {
	return Effort{
		e.Count + o.Count, e.CPU + o.CPU, e.Scheduled + o.Scheduled, e.Blocked + o.Blocked,
		e.InputBytes + o.InputBytes, e.SpilledBytes + o.SpilledBytes, max(e.PeakBytes, o.PeakBytes), plus(e.Stages, o.Stages),
	}
}

// Possible reports whether servers can have counted that: nothing is negative.
func (e Effort) Possible() bool {
	return e.Count > 0 && min(e.CPU, e.Scheduled, e.Blocked) >= 0 && min(e.InputBytes, e.SpilledBytes, e.PeakBytes) >= 0 &&
		!slices.ContainsFunc(e.Stages, func(s Stage) bool { return !s.possible() })
}
