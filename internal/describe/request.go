package describe

// Request is how the workload itself reads, or writes, what a unit of work needs of volumes.
type Request struct {
	Direction string  `json:"direction"` // reads or writes
	PerUnit   float64 `json:"per_unit"`  // requests a unit of work, on average
	Bytes     float64 `json:"bytes"`     // mean size of one
	// Sequential is the share that begins where an earlier one of the same user ended; missing
	// where the workload does not know.
	Sequential *float64 `json:"sequential,omitempty"`
}

// Mix is a request that is a read in a share of all units of work, 0 to 1, and else a write.
func (r Request) Mix(reads float64) (all []Request) {
	if r.Direction, r.PerUnit = Reads, reads; reads > 0 {
		all = append(all, r)
	}
	if r.Direction, r.PerUnit = Writes, 1-reads; reads < 1 {
		all = append(all, r)
	}
	return all
}
