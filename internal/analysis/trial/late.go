package trial

import (
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// LostAsleep is the share of their time for which users woke late; 0 where wakes were not counted.
func LostAsleep(t *result.Trial) float64 {
	lost := 0.0
	for _, d := range t.Drivers {
		lost += max(0, stats.Finite(d.LateMean)) * float64(max(0, d.Wakes))
	}
	return stats.Ratio(lost, t.UserSeconds())
}

// MeanLateness is how late users woke on average, in seconds: of all drivers, each as often as
// it had users.
func MeanLateness(t *result.Trial) float64 {
	sum, users := 0.0, 0.0
	for _, d := range t.Drivers {
		n := float64(max(1, d.Users)) // not known in old files
		sum, users = sum+n*stats.Finite(d.LateMean), users+n
	}
	return stats.Ratio(sum, users)
}
