// This file computes what work that saves its state loses by saving and by failures.

package rung

import (
	"math"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
)

// SaveLoss is what saving takes, and what the work that is saved loses by it. Times are in seconds;
// what is lost is in parts of the time that this work computes.
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
	// Best is the interval at which the least is lost, and Least what is lost then; 0 where
	// Lost is.
	Best  float64 `json:"best,omitzero"`
	Least float64 `json:"least,omitzero"` // described with Best
}

// Of is what is lost when a save takes δ = save and a restore R = restore, with τ = s.Interval
// between two saves and a failure every M = s.Failures. Where all three times together are a
// quarter of M at most, it is to the first order
//
//	lost(τ) = δ/τ + τ/(2M) + R/M, which is least at τ = √(2δM)
//
// (Young, "A first order approximation to the optimum checkpoint interval", Communications of the
// ACM 17(9), 1974, with the time of a restart), which neglects failures while state is saved or
// restored, and two in one interval. Beyond, it is what failures at random moments give exactly,
//
//	lost(τ) = M/τ · exp(R/M) · (exp((τ+δ)/M) − 1) − 1, least where (1 − τ/M) · exp((τ+δ)/M) = 1
//
// (J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps",
// Future Generation Computer Systems 22(3), 2006). The first order is less, by up to a quarter.
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

// exactlyBest halves the range in which the least of the exact sum is: what it is held
// against falls from exp(δ/M), which is more than 1, to 0 as τ rises to M.
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
