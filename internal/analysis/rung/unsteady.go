package rung

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/study"
)

// UnsteadyTrial is what the work of a trial did in its measured phase instead of being steady.
type UnsteadyTrial struct {
	Trial    string                  `json:"trial"`                                                     // that did it
	Severity trust.Severity          `json:"severity" jsonschema:"enum=note,enum=caution,enum=serious"` // of the doubt, before anything settles it
	Course   steadiness.Unsteadiness `json:"course"`                                                    // what the work did
}

// WithUnsteady gives rungs what the work of their trials did, by the doubts before these are settled.
func WithUnsteady(rungs []Rung, doubts []trust.Warning) []Rung {
	rungs = slices.Clone(rungs)
	for i := range rungs {
		r := &rungs[i]
		for _, w := range doubts {
			if w.Unsteady != nil && slices.Contains(r.Trials, w.Trial) {
				r.Unsteady = append(r.Unsteady, UnsteadyTrial{Trial: w.Trial, Severity: w.Severity, Course: *w.Unsteady})
			}
		}
	}
	return rungs
}

// Doubted is what the work did that changes its mean most, of how many trials the work is
// doubted by more than a note; nil where these are half of those that passed, or fewer: the
// figures of a rung are medians.
func (r *Rung) Doubted() (gravest *UnsteadyTrial, trials int) {
	seen := map[string]bool{}
	for i := range r.Unsteady {
		u := &r.Unsteady[i]
		if u.Severity == trust.Note {
			continue
		}
		seen[u.Trial] = true
		if gravest == nil || u.weight() > gravest.weight() {
			gravest = u
		}
	}
	if 2*len(seen) <= r.Repetitions {
		return nil, 0
	}
	return gravest, len(seen)
}

// Unsettled is what response times did at a rung that keeps its objectives and might not have,
// had its phase been longer: in more than half of its trials they rose until one of the
// objectives, if its figure is as many times as high at the end as the mean, is missed there. Nil
// where there is no such thing.
func (r *Rung) Unsettled() (most *UnsteadyTrial) {
	seen := map[string]bool{}
	for i := range r.Unsteady {
		u := &r.Unsteady[i]
		if !r.Kept || u.Severity == trust.Note || !u.Course.Rises() || !slices.ContainsFunc(r.Objectives, func(o ObjectiveResult) bool { return o.missedAt(u.Course.Over) }) {
			continue
		}
		seen[u.Trial] = true
		if most == nil || u.Course.Over > most.Course.Over {
			most = u
		}
	}
	if 2*len(seen) <= r.Repetitions {
		return nil
	}
	return most
}

// missedAt reports whether an objective on response times of units of work is missed where
// they are so many times as long.
func (o ObjectiveResult) missedAt(times float64) bool {
	return o.Operation == "" && !o.Unknown && !(study.Objective{Metric: o.Metric}).IsShare() && o.Value*times > o.Limit
}

// weight is by how much the mean differs, or for good.
func (u UnsteadyTrial) weight() float64 { return max(u.Course.Influence, math.Abs(u.Course.Change)) }

// BrokenByStalls is the longest of the stalls that alone break a rung: every objective that it
// misses is kept as recorded, and missed only with what stalls hid from users who begin nothing
// meanwhile. Nil where there is none.
func (r *Rung) BrokenByStalls() *UnsteadyTrial {
	broken := Broken(r)
	if len(broken) == 0 || r.Failed >= r.Repetitions || r.Break.Any() || slices.ContainsFunc(broken, func(i int) bool { return !r.Objectives[i].hidden() }) {
		return nil
	}
	var longest *UnsteadyTrial
	for i := range r.Unsteady {
		if u := &r.Unsteady[i]; u.Course.Kind == steadiness.Stall && (longest == nil || u.Course.Still > longest.Course.Still) {
			longest = u
		}
	}
	return longest
}

// hidden reports whether an objective is missed only with what stalls hid.
func (o ObjectiveResult) hidden() bool {
	return o.Recorded > 0 && o.Recorded <= o.Limit && o.Value > o.Limit
}
