package rung

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// dispersion is the variance of a count of units of work divided by its mean: begun work
// varies by about its square root (Poisson), and so does work in progress.
const dispersion = 2

// farBehind is what half of the other instances did at least, over what one that
// starves did.
const farBehind = 5

// fewUnits is below how many units of work those that were completed tell nothing of
// those that were not.
const fewUnits = 10

// byChance is the probability that an instance completes so few units of work where
// so many are to be expected. (A Poisson count is at most n with the probability that a
// gamma variable of shape n+1 exceeds the mean; Johnson, Kemp and Kotz, "Univariate
// Discrete Distributions", 2005, section 4.4.)
func byChance(n, expected float64) float64 {
	return distuv.Gamma{Alpha: n/dispersion + 1, Beta: 1}.Survival(expected / dispersion)
}

// expectedAtMost is what an instance can be expected to do that did so much, but for a
// probability.
func expectedAtMost(n, alpha float64) float64 {
	return dispersion * distuv.Gamma{Alpha: n/dispersion + 1, Beta: 1}.Quantile(1-alpha)
}

// starves reports whether an instance completed a fraction of what the others did, beyond
// what chance explains at the level.
func (c crowd) starves(s *result.InstanceSummary, alpha float64) bool {
	n, others := timed(s), c.timed.without(timed(s))
	return !c.Profile.Fixed && farBehind*max(n, 1) <= others && byChance(n, others) <= alpha
}

// starvedFor is how long the units of work of an instance that starves waited on average
// at least, with every one that was under way counted as done: in a closed loop by the
// response time law, R = N/X - Z (Denning and Buzen, 1978). In an open loop those that
// were left wait for half of the phase on average (Little, 1961).
func (c crowd) starvedFor(s *result.InstanceSummary) float64 {
	t := c.Trial
	length := trial.Seconds(t) * t.Variant.Load.Share() // that users were at work
	users := float64(t.Variant.Load.Users * t.Profile.Together())
	if t.OpenLoop || users <= 0 {
		return max(s.Mean, length/2*(1-stats.Ratio(timed(s), c.timed.without(timed(s)))))
	}
	return max(s.Mean, users*length/(timed(s)+users)-t.Variant.Load.ThinkTime.D().Seconds())
}

// byCount adds to an instance's mean the information in how many units it completed
// compared with the others. In a closed loop the time of a user's cycle is the inverse of
// the throughput, so that few units prove long response times where the scatter of the
// times themselves is too large to. The result is never longer than the measured mean.
func (c crowd) byCount(f figure, s *result.InstanceSummary) figure {
	t := c.Trial
	if t.Scheduled() || t.Profile.Fixed {
		return f
	}
	think := t.Variant.Load.ThinkTime.D().Seconds()
	others := c.timed.without(timed(s))
	cycle := think + c.means.without(s.Mean)
	byTimes := f.low
	f.low = func(alpha float64) float64 {
		law := cycle*others/expectedAtMost(timed(s), alpha/2) - think
		return math.Max(byTimes(alpha/2), math.Min(law, f.value))
	}
	return f
}
