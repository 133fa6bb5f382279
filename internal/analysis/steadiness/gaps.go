package steadiness

import (
	"math"
	"slices"
)

// Gap is a time in which nothing ended.
type Gap struct {
	// From is the first second without anything, and Seconds how many there are in a row.
	From, Seconds int
	// Length is the length in seconds, including the missing parts of the seconds before
	// and after.
	Length float64
	// Partial reports that something ended in each of the seconds: what they lack
	// is the length.
	Partial bool
	Lost    float64 // units of work that a partial gap lacks of the mean
	// Past is how much of its last second came after the phase, in seconds.
	Past float64
}

// Least is for how long who waited through the gap has waited at least.
func (g Gap) Least() float64 {
	if g.Partial {
		return 0.7 * g.Length
	}
	return float64(g.Seconds) - g.Past
}

// To is the second after the gap.
func (g Gap) To() int { return g.From + g.Seconds }

// chance is the natural logarithm of how unlikely a gap must be by chance, in a
// series as long as the one it is found in: about one in a thousand.
const chance = 7

// Gaps finds where nothing ended for longer than work that ends at random (a
// Poisson process) leaves out by chance, five times as long as a unit of work takes,
// and a second. The rate is of each second; one below a fiftieth of the usual counts
// as none. Seconds that are not known (NaN) belong to no gap.
func Gaps(rate []float64, usualTime float64) []Gap {
	all := emptyRuns(rate)
	mean := meanOutside(rate, all)
	if mean <= 0 {
		return nil
	}
	least := max(1, 5*usualTime, (math.Log(max(1, mean*float64(len(rate))))+chance)/mean)
	var out []Gap
	for _, g := range all {
		g.Length = float64(g.Seconds) + lacking(rate, g.From-1, mean) + lacking(rate, g.To(), mean)
		if g.Length >= least {
			out = append(out, g)
		}
	}
	return out
}

// Breaks finds one second, or two in a row, that are not empty but lack so much of the
// mean that nothing may have ended for most of a second: a stall that is shorter than two
// seconds need leave none empty. Other causes lower a rate as well, so that it takes a
// unit of work that waited as long to call them stalls.
func Breaks(rate []float64) (out []Gap) {
	empty := emptyRuns(rate)
	mean := meanOutside(rate, empty)
	if mean <= 0 {
		return nil
	}
	least := leastBreak + 3*math.Sqrt2*spread(rate)/mean
	for i := 0; i < len(rate); i++ {
		g := Gap{From: i, Partial: true}
		for ; i < len(rate) && lacking(rate, i, mean) > 0; i++ {
			g.Seconds++
			g.Length += lacking(rate, i, mean)
			g.Lost = g.Length * mean
		}
		inside := slices.ContainsFunc(empty, func(e Gap) bool { return e.From >= g.From && e.From < g.To() })
		if g.Seconds > 0 && g.Seconds <= 2 && g.Length >= least && !inside {
			out = append(out, g)
		}
	}
	return out
}

// leastBreak is how much of a second a break lacks at least, noise apart.
const leastBreak = 0.7

// spread is the standard deviation by the median deviation from the median (of normal
// values 0.6745 standard deviations), which breaks hardly change.
func spread(rate []float64) float64 {
	var deviations []float64
	middle := positiveMedian(rate)
	for _, v := range rate {
		if isRate(v) {
			deviations = append(deviations, math.Abs(v-middle))
		}
	}
	return medianOf(deviations) / 0.6745
}

// emptyRuns lists the runs of seconds in which nothing ended, but for one in fifty.
func emptyRuns(rate []float64) (all []Gap) {
	limit := positiveMedian(rate) / 50
	for i, v := range rate {
		if !isRate(v) || v > limit {
			continue
		}
		if n := len(all); n > 0 && all[n-1].To() == i {
			all[n-1].Seconds++
		} else {
			all = append(all, Gap{From: i, Seconds: 1})
		}
	}
	return all
}

// meanOutside is the mean rate without the longest run of empty seconds, so that it
// does not hide itself.
func meanOutside(rate []float64, runs []Gap) float64 {
	longest := Gap{}
	for _, g := range runs {
		if g.Seconds > longest.Seconds {
			longest = g
		}
	}
	sum, n := 0.0, 0.0
	for i, v := range rate {
		if isRate(v) && (i < longest.From || i >= longest.To()) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// lacking is the fraction of a second next to a gap that belongs to the gap: its shortfall
// from the mean, if that is more than noise.
func lacking(rate []float64, second int, mean float64) float64 {
	if second < 0 || second >= len(rate) || !isRate(rate[second]) || rate[second] > 0.8*mean {
		return 0
	}
	return 1 - rate[second]/mean
}

// positiveMedian is the median of the values above 0; 0 of none.
func positiveMedian(values []float64) float64 {
	var positive []float64
	for _, v := range values {
		if isRate(v) && v > 0 {
			positive = append(positive, v)
		}
	}
	return medianOf(positive)
}

// Period is the mean time from one gap to the next; even says that there are at least
// three, about equally far apart.
func Period(gaps []Gap) (seconds float64, even bool) {
	n := len(gaps) - 1
	if n < 2 {
		return 0, false
	}
	mean := float64(gaps[n].From-gaps[0].From) / float64(n)
	for i := range n {
		if math.Abs(float64(gaps[i+1].From-gaps[i].From)-mean) > max(1, 0.15*mean) {
			return mean, false
		}
	}
	return mean, true
}

// Without marks the seconds in gaps, and the second on each side, as unknown.
func Without(rate []float64, gaps []Gap) []float64 {
	out := slices.Clone(rate)
	for _, g := range gaps {
		for i := max(0, g.From-1); i < min(len(out), g.To()+1); i++ {
			out[i] = math.NaN()
		}
	}
	return out
}
