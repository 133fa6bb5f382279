package describe

// Stage sums up one step of moving data over some operations. A step hands on to the next
// over a bounded queue, so its time is spent either at work or waiting for one of its
// neighbours.
type Stage struct {
	Side  string `json:"side"`  // whose step it is: source, destination
	Name  string `json:"name"`  // read, compress, send
	Bytes int64  `json:"bytes"` // that it took in; of the first step, that it gave
	// Busy is the time at work, Before that without anything from the step before, and After
	// that in which the step after took nothing, in seconds.
	Busy   float64 `json:"busy"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Elapsed is all of its time, in seconds.
func (s Stage) Elapsed() float64 { return s.Busy + s.Before + s.After }

// plus adds the stages of other operations, by side and name, and keeps their order.
func plus(all, more []Stage) []Stage {
	if len(more) == 0 {
		return all
	}
	out := append([]Stage(nil), all...)
	for _, s := range more {
		at := 0
		for at < len(out) && (out[at].Side != s.Side || out[at].Name != s.Name) {
			at++
		}
		if at == len(out) {
			out = append(out, Stage{Side: s.Side, Name: s.Name})
		}
		out[at].Bytes += s.Bytes
		out[at].Busy, out[at].Before, out[at].After = out[at].Busy+s.Busy, out[at].Before+s.Before, out[at].After+s.After
	}
	return out
}

// possible reports whether a step can have done that.
func (s Stage) possible() bool {
	return s.Name != "" && s.Bytes >= 0 && min(s.Busy, s.Before, s.After) >= 0
}
