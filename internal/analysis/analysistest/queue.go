package analysistest

import (
	"math"
	"math/rand/v2"
)

// Queue describes a made-up open loop with one server: work falls due at random (Poisson) or
// evenly, and takes exponentially distributed times.
type Queue struct {
	Seconds int
	Rate    float64 // units of work that fall due in a second
	Busy    float64 // the load: Rate times the mean service time
	Evenly  bool    // work falls due evenly
}

// Series is what ended in each second of a phase that begins after as long a warm-up, how many
// units of work fell due in it, and how many waited at its end.
func (q Queue) Series(seed uint64) (ended []float64, due, waiting int) {
	random := rand.New(rand.NewPCG(seed, 29))
	ended = make([]float64, q.Seconds)
	phase := float64(q.Seconds)
	at, free := -phase, -phase
	for {
		if q.Evenly {
			at += 1 / q.Rate
		} else {
			at += random.ExpFloat64() / q.Rate
		}
		if at >= phase {
			return ended, due, waiting
		}
		if at >= 0 {
			due++
		}
		free = max(free, at) + random.ExpFloat64()*q.Busy/q.Rate
		switch {
		case free >= phase:
			waiting++
		case free >= 0:
			ended[int(free)]++
		}
	}
}

// Detectable reports whether a queue that is overloaded grows in so many trials by twice
// what chance makes of it at most: 2.8 standard deviations of work that is due and served
// at random.
func (q Queue) Detectable(trials int) bool {
	units := q.Rate * float64(q.Seconds*trials)
	return units*(1-1/q.Busy) >= 2*2.8*math.Sqrt(2*units)
}
