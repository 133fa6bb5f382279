package plan

import (
	"time"

	"plimsoll/internal/study"
)

// tile estimates a trial: the applications of a variant, side by side.
type tile []estimator

// tile returns the estimators of a variant's applications at a rung.
func (p *Plan) tile(v study.Variant, rung int) (all tile) {
	for _, one := range v.Tile() {
		all = append(all, p.estimator(one, rung))
	}
	return all
}

// Applications returns every application of every variant, each as a variant of its own.
func (p *Plan) Applications() (all []study.Variant) {
	for _, v := range p.Variants {
		all = append(all, v.Tile()...)
	}
	return all
}

// FactsOf returns the facts of an application of a variant, as Variant.Tile returns it. If
// the variant has members, they are the first member's.
func (p *Plan) FactsOf(v study.Variant) Facts { return p.Facts[v.Tile()[0].Title()] }

// total adds up something of all.
func total[T any](all []T, of func(T) int64) (total int64) {
	for _, one := range all {
		total = sum(total, of(one))
	}
	return total
}

// most is the largest of something.
func most[T any](all []T, of func(T) int64) (most int64) {
	for _, one := range all {
		most = max(most, of(one))
	}
	return most
}

func (t tile) duration() time.Duration {
	p, each := t[0].phases(), time.Duration(0)
	for _, e := range t {
		each = sum(each, e.handling())
	}
	whole := settleTime
	switch {
	case p.End == study.CutPower:
		whole += powerCutTime
	case most(t, estimator.answered) > 0:
		whole += ceilingTime
	}
	return sum(whole, each, t.driven())
}

// ramp is the longest ramp of all.
func (t tile) ramp() (longest time.Duration) {
	for _, e := range t {
		longest = max(longest, Ramp(e.phases(), e.variant.Load, e.rung))
	}
	return longest
}

func (t tile) disk() int64 { return total(t, estimator.disk) }

// memory is what a trial needs at once: its applications, the servers of the storage, and
// Plimsoll itself.
func (t tile) memory() int64 {
	return sum(total(t, estimator.memory), t[0].standing, samplingMemory)
}

// tasks is how many processes and threads a trial has at once.
func (t tile) tasks() int64 { return sum(ownTasks, total(t, estimator.tasks)) }

// openFiles is what the driver with the most users has open.
func (t tile) openFiles() int64 { return most(t, estimator.openFiles) }
