// Package saving computes what work that saves its state loses by saving and by failures.
package saving

import (
	"math"

	"plimsoll/internal/describe"
)

// Loss is what saving takes, and what the work that is saved loses by it. Times are in seconds;
// what is lost is in parts of the time that this work computes.
type Loss struct {
	Save        float64 `json:"save"`         // mean time of a save
	Restore     float64 `json:"restore"`      // mean time of a restore
	SaveRate    float64 `json:"save_rate"`    // bytes of a save over its time
	RestoreRate float64 `json:"restore_rate"` // bytes of a restore over its time
	Interval    float64 `json:"interval"`     // assumed: computing time between two saves
	Failures    float64 `json:"failures"`     // assumed: mean time between failures
	// Lost is what saves, repeated work and restores add to the computing time at that
	// interval; 0 where the formula does not hold.
	Lost float64 `json:"lost,omitzero"`
	// Best is the interval at which the least is lost, and Least what is lost then; 0 where
	// the formula does not hold.
	Best  float64 `json:"best,omitzero"`
	Least float64 `json:"least,omitzero"` // described with Best
}

// Of is what is lost when a save takes δ = save and a restore R = restore, with τ = s.Interval
// between two saves and a failure every M = s.Failures:
//
//	lost(τ) = δ/τ + τ/(2M) + R/M, which is least at τ = √(2δM)
//
// That is the first order of Young, "A first order approximation to the optimum checkpoint
// interval", Communications of the ACM 17(9), 1974, with the time of a restart as in Daly, "A
// higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation
// Computer Systems 22(3), 2006. It neglects failures while state is saved or restored, and two in
// one interval, so it is given where all three times together are a quarter of M at most: there
// it is less than Daly's exact sum, by up to a quarter.
func Of(s describe.Saves, save, restore float64) Loss {
	c := Loss{Save: save, Restore: restore, Interval: s.Interval, Failures: s.Failures}
	c.Lost = c.lost(c.Interval)
	if best := math.Sqrt(2 * save * s.Failures); c.lost(best) > 0 {
		c.Best, c.Least = best, c.lost(best)
	}
	return c
}

// holds is the share of the time between failures up to which the first order is good enough.
const holds = 0.25

func (c Loss) lost(interval float64) float64 {
	if !(c.Save > 0 && c.Restore > 0 && interval > 0) || c.Save+c.Restore+interval > holds*c.Failures {
		return 0
	}
	return c.Save/interval + interval/(2*c.Failures) + c.Restore/c.Failures
}
