package trial

import (
	"math"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// ByChance bounds a rate by the scatter of a count of n: z/sqrt(n) times the coefficient of variation of
// the times between (renewal processes: Cox, 1962), taken from response times, and
// at its two ends by the units that every user has under way.
func ByChance(t *result.Trial) bound.Bound {
	const z = 1.645 // for nine in ten
	o := t.Whole()
	n := float64(o.Count)
	users := stats.Ratio(t.UserSeconds(), Seconds(t))
	varies := max(0.1, min(1, stats.Ratio(o.P95-o.P50, 1.645*o.Mean)))
	off := z * math.Hypot(varies/math.Sqrt(n), math.Sqrt(users/6)/n)
	more, fewer := 1+off/2, max(0, 1-off/2) // the roots of counts scatter alike (Bartlett, 1936)
	return bound.RandomBy(more*more-1, 1-fewer*fewer)
}
