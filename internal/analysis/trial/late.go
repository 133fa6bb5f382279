package trial

import (
	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// lostAsleep is the share of their time for which users woke late; 0 where wakes were not counted.
func lostAsleep(t *result.Trial) float64 {
	lost := 0.0
	for _, d := range t.Drivers {
		lost += max(0, stats.Finite(d.LateMean)) * float64(max(0, d.Wakes))
	}
	return stats.Ratio(lost, t.UserSeconds())
}

// MeanLateness is how late users woke on average, in seconds: of all drivers, each as often as
// it had users.
func MeanLateness(t *result.Trial) float64 {
	mean, users := 0.0, 0.0
	for _, d := range t.Drivers {
		n := float64(max(1, d.Users)) // not known in old files
		users += n
		mean += n / users * (max(0, stats.Finite(d.LateMean)) - mean)
	}
	return mean
}

// OffByLateness bounds the figures of a trial whose users woke late by a share of a unit's time.
func OffByLateness(t *result.Trial, share float64) bound.Bound {
	if t.Scheduled() { // response times have it within them
		return bound.Lacks(min(0.99, share))
	}
	if lost := lostAsleep(t); lost > 0 {
		return bound.Lacks(min(0.99, lost))
	}
	return bound.TooLowBy(share)
}
