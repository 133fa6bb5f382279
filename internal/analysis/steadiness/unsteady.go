package steadiness

import (
	"math"

	"plimsoll/internal/analysis/stats"
)

// Unsteadiness is what the work of a measured phase did instead of being steady.
type Unsteadiness struct {
	// Kind is stall, warm-up, drift, shift, dip, burst, dips, bursts or wave.
	Kind Kind `json:"kind"`
	// Of says which figure did it: response, or throughput where it is empty.
	Of       string `json:"-"`
	Instance string `json:"instance,omitempty"` // that stood still alone; empty for all
	// Change is relative: of the end to the beginning, of the level after a moment to that
	// before, of a dip to the rest, of the beginning to the rest of a warm-up.
	Change float64 `json:"change,omitempty"`
	From   float64 `json:"from"`             // s into the measured phase: of the change, of the longest stall
	To     float64 `json:"to"`               // s into the measured phase
	Period float64 `json:"period,omitempty"` // s from one dip or stall to the next, of a wave its own; 0 for none
	Times  int     `json:"times,omitempty"`  // that stalls, dips or waves were seen
	Still  float64 `json:"still,omitempty"`  // s in which nothing ended, in all stalls
	Waited int64   `json:"waited,omitempty"` // units of work that waited in the stalls, as far as is known
	// Begins and Ends are the mean response times in the first and the last tenth of the
	// phase, s. Over is Ends divided by the mean of the whole phase; 0 for throughput.
	Begins, Ends, Over float64 `json:"-"`
	// Influence is by how much the mean throughput would differ without it, relative; of
	// stalls it is the share of the users' time.
	Influence float64 `json:"influence"`
}

// response is the value of Unsteadiness.Of for a mean response time.
const response = "response"

// Figure is what did it, in words.
func (u Unsteadiness) Figure() string {
	if u.Of == response {
		return "mean response time"
	}
	return "throughput"
}

// Judge says what the work done in each second did; nil where it was steady.
func Judge(rate []float64) *Unsteadiness {
	c := ShapeOf(rate)
	if c.Kind == Steady {
		return nil
	}
	return &Unsteadiness{Kind: c.Kind, Change: c.Change, From: c.From, To: c.To, Period: c.Period, Times: c.Times, Influence: c.Influence}
}

// responseBlocks are so many as a phase is divided into at most for its response times.
const responseBlocks = 120

// longResponse is the share of a phase for which response times differ at least where they come
// back: a few slow units of work do so in a block by chance, and are what percentiles tell of.
const longResponse = 0.1

// leastResponse is the relative change from which a mean response time is not steady: it is less
// even than throughput.
const leastResponse = 0.1

// JudgeResponse says what the mean response time did; nil where it was steady, came back each
// period, as with checkpoints, or is not known.
func JudgeResponse(c Course) *Unsteadiness {
	long := max(1, (len(c.Response)+responseBlocks-1)/responseBlocks)
	var means []float64
	for from := 0; from < len(c.Response); from += long {
		sum, n := 0.0, 0.0
		for i := from; i < min(from+long, len(c.Response)); i++ {
			if count := c.Done[i]; count > 0 && c.Response[i] > 0 {
				sum, n = sum+count*c.Response[i], n+count
			}
		}
		means = append(means, sum/n) // NaN is not known
	}
	u := Judge(means)
	if u == nil || math.Abs(u.Change) < leastResponse || u.Period > 0 || u.returned() && u.To-u.From < longResponse*float64(len(means)) {
		return nil
	}
	tenth := max(1, len(means)/10)
	u.Begins, u.Ends = stats.Mean(stats.FiniteOnly(means[:tenth])), stats.Mean(stats.FiniteOnly(means[len(means)-tenth:]))
	u.Over = stats.Ratio(u.Ends, c.meanResponse())
	u.Of, u.From, u.To = response, u.From*float64(long), min(u.To*float64(long), float64(len(c.Response)))
	return u
}

// meanResponse is the mean of all known response times of units of work, s.
func (c Course) meanResponse() float64 {
	sum, n := 0.0, 0.0
	for i, mean := range c.Response {
		if count := c.Done[i]; count > 0 && mean > 0 {
			sum, n = sum+count*mean, n+count
		}
	}
	return stats.Ratio(sum, n)
}

// Rises reports whether response times had grown when the phase ended, and had not come back.
func (u Unsteadiness) Rises() bool {
	return u.Of == response && u.Change > 0 && (u.Kind == Drift || u.Kind == Change)
}

// returned reports whether a figure left its level and found it again.
func (u Unsteadiness) returned() bool { return u.Kind == Dip || u.Kind == Burst }

// Unsteady are the stalls of a phase in which so many units of work waited.
func (s Stalls) Unsteady(waited int64) *Unsteadiness {
	longest := s.Longest()
	u := &Unsteadiness{
		Kind: Stall, Instance: s.Instance, From: float64(longest.From), To: float64(longest.To()),
		Times: len(s.Gaps), Still: s.Total(), Waited: waited, Influence: s.Lost(),
	}
	if period, even := Period(s.Gaps); even {
		u.Period = period
	}
	return u
}

// CutOff is a stall that the end of a phase of so many seconds cut off, in which so many
// units of work waited, the oldest of them for wait seconds.
func CutOff(seconds, wait float64, waited int64) *Unsteadiness {
	return &Unsteadiness{Kind: Stall, From: seconds - wait, To: seconds, Times: 1, Still: wait, Waited: waited, Influence: wait / seconds}
}
