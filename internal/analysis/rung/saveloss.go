// This file computes what work that saves its state loses by saving and by failures.

package rung

import (
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// SaveLoss is the time taken by saving and the work lost despite it. Times are in seconds;
// losses are fractions of the time that this work computes.
type SaveLoss struct {
	Save        float64 `json:"save"`         // mean time of a save
	Restore     float64 `json:"restore"`      // mean time of a restore
	SaveRate    float64 `json:"save_rate"`    // bytes of a save over its time
	RestoreRate float64 `json:"restore_rate"` // bytes of a restore over its time
	Interval    float64 `json:"interval"`     // assumed: computing time between two saves
	Failures    float64 `json:"failures"`     // assumed: mean time between failures
	// Lost is what saves, repeated work and restores add to the computing time at that
	// interval; 0 where a time is not known, or nothing would ever end.
	Lost float64 `json:"lost,omitzero"`
	// Best is the interval with the least loss, and Least the loss then; 0 if Lost is.
	Best  float64 `json:"best,omitzero"`
	Least float64 `json:"least,omitzero"` // described with Best
}

// SaveLossOf is the loss when a save takes δ = save and a restore R = restore, with τ =
// s.Interval between two saves and a failure every M = s.Failures. Where all three times
// together are a quarter of M at most, it is to the first order
//
//	lost(τ) = δ/τ + τ/(2M) + R/M, which is least at τ = √(2δM)
//
// (Young, "A first order approximation to the optimum checkpoint interval", Communications
// of the ACM 17(9), 1974, with the time of a restart), which neglects failures while state
// is saved or restored, and two in one interval. Beyond that, it is the exact value for
// failures at random moments,
//
//	lost(τ) = M/τ · exp(R/M) · (exp((τ+δ)/M) − 1) − 1, least where (1 − τ/M) · exp((τ+δ)/M) = 1
//
// (J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
// dumps", Future Generation Computer Systems 22(3), 2006). The first order is less, by up
// to a quarter.
func SaveLossOf(s describe.Saves, save, restore float64) SaveLoss {
	c := SaveLoss{Save: save, Restore: restore, Interval: s.Interval, Failures: s.Failures}
	if !(save > 0 && restore > 0 && s.Interval > 0 && s.Failures > 0) {
		return c
	}
	c.Lost = c.lost(c.Interval)
	best := math.Sqrt(2 * save * s.Failures)
	if !c.firstOrder(best) {
		best = c.exactlyBest()
	}
	if least := c.lost(best); c.Lost > 0 && least > 0 {
		c.Best, c.Least = best, least
	}
	return c
}

// holds is the share of the time between failures up to which the first order is good enough.
const firstOrderHolds = 0.25

// mostLost is how many times the computing time is lost from which nothing is said to end.
const mostLost = 1000

func (c SaveLoss) firstOrder(interval float64) bool {
	return c.Save+c.Restore+interval <= firstOrderHolds*c.Failures
}

func (c SaveLoss) lost(interval float64) float64 {
	if c.firstOrder(interval) {
		return c.Save/interval + interval/(2*c.Failures) + c.Restore/c.Failures
	}
	m := c.Failures
	lost := stats.Finite(m/interval*math.Exp(c.Restore/m)*math.Expm1((interval+c.Save)/m) - 1)
	if lost > mostLost {
		return 0
	}
	return lost
}

// exactlyBest finds the minimum of the exact sum by bisection: the left side of its
// condition falls from exp(δ/M) > 1 to 0 as τ rises to M.
func (c SaveLoss) exactlyBest() float64 {
	low, high := 0.0, 1.0 // of M
	for range 60 {
		x := (low + high) / 2
		if (1-x)*math.Exp(x+c.Save/c.Failures) > 1 {
			low = x
		} else {
			high = x
		}
	}
	return high * c.Failures
}

// savingOf is what saving costs by the times of a rung; nil where nothing was saved.
func savingOf(passed []*result.Trial, operations map[string]OperationStats) *SaveLoss {
	s := trial.ProfileOf(passed).Saves
	if s == nil || operations[s.Save].Mean <= 0 {
		return nil
	}
	c := SaveLossOf(*s, operations[s.Save].Mean, operations[s.Restore].Mean)
	c.SaveRate, c.RestoreRate = rateOfOperation(passed, s.Save), rateOfOperation(passed, s.Restore)
	return &c
}

// rateOfOperation is what an operation moved over the time that it took, in bytes a second: the
// median over repetitions.
func rateOfOperation(passed []*result.Trial, name string) float64 {
	return stats.MedianOf(trial.Collect(passed, func(t *result.Trial) float64 {
		o := t.Operations[name]
		return stats.Ratio(float64(o.Bytes), float64(o.Count)*o.Mean)
	}))
}
