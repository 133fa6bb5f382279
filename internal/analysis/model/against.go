package model

import (
	"slices"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
)

// ReferenceMetrics are the metrics of the unit of work that CounterpartRung.Metrics may hold.
var ReferenceMetrics = []string{"throughput", "mean", "p50", "p90", "p95", "p99", "p99.9"}

// ReferenceResult is another run, or a published result, that a report holds its own results
// against. Package compare makes it.
type ReferenceResult struct {
	Name   string `json:"name"`             // as the user named it
	Called string `json:"called"`           // in tables: "published", "earlier", "later"
	Label  string `json:"label"`            // in legends and sentences: "published", "run of 2026-11-20"
	Source string `json:"source,omitempty"` // the citation of a published result
	// InShape reports that absolute figures cannot be compared, because the published ones
	// come from other hardware. They are then scaled to equal ours at Counterpart.Base.
	InShape      bool          `json:"in_shape"`
	Verdict      string        `json:"verdict"`           // of ours, as of plimsoll compare
	Text         string        `json:"text"`              // the verdict in words
	Grade        string        `json:"grade,omitempty"`   // the worst of its trials; empty where it is published
	Counterparts []Counterpart `json:"ghosts"`            // variants of the other side that have one of ours; JSON keeps their first name
	Differs      []string      `json:"differs,omitempty"` // settings in which the two differ, in words
	// Apart is what only one of the two measured, a sentence each.
	Apart    []string        `json:"apart,omitempty"`
	Warnings []trust.Warning `json:"warnings,omitempty"` // where they differ in more than they should
}

// Counterpart is one variant of the other side.
type Counterpart struct {
	Variant string `json:"variant"` // ours
	Other   string `json:"other"`   // its counterpart
	// LoadLine is the other side's line. LineVerdict judges ours against it: better or
	// worse if ours carries more or fewer, else no difference or inconclusive. Both are
	// missing if no objective was set or figures cannot be compared.
	LoadLine    *loadline.LoadLine `json:"load_line,omitempty"`
	LineVerdict string             `json:"line_verdict,omitempty"` // see LoadLine
	// Brief sums up our results against the other side in a phrase: "−25 % against 16
	// instances (run of 2026-11-20)". It is empty if there is nothing to show.
	Brief string            `json:"brief,omitempty"`
	Base  int               `json:"base,omitempty"` // see Against.InShape
	Rungs []CounterpartRung `json:"rungs"`          // smallest first
}

// CounterpartRung is one rung of the other side.
type CounterpartRung struct {
	Instances int `json:"instances"` // how many ran at once; of ours, where Theirs is set
	// Theirs is the other side's count if the two ladders have no rung in common: the same
	// multiple of their first rung as Instances is of ours. Else 0.
	Theirs int `json:"theirs,omitempty"`
	// Metrics are the known ones of ReferenceMetrics.
	Metrics map[string]ReferenceFigure `json:"metrics"`
}

// ReferenceFigure is one figure of the other side and the verdict on ours.
type ReferenceFigure struct {
	Theirs stats.Interval `json:"theirs"` // in the units of a Rung
	// Change is ours over theirs, less 1, with the interval that the repetitions leave;
	// missing where only they measured it.
	Change  *stats.Interval `json:"change,omitempty"`
	Verdict string          `json:"verdict,omitempty"` // of Change: better, worse, no difference shown, too few repetitions, compared in shape
}

// Knows reports whether the other side measured a metric at some rung.
func (a *ReferenceResult) Knows(metric string) bool {
	return slices.ContainsFunc(a.Counterparts, func(g Counterpart) bool {
		return slices.ContainsFunc(g.Rungs, func(r CounterpartRung) bool { _, has := r.Metrics[metric]; return has })
	})
}

// Shared reports whether both sides measured the rung.
func (r CounterpartRung) Shared() bool {
	for _, h := range r.Metrics {
		if h.Change != nil {
			return true
		}
	}
	return false
}

// Scaled reports whether the ladder of the other side is, too: see CounterpartRung.Theirs.
func (a *ReferenceResult) Scaled() bool {
	return slices.ContainsFunc(a.Counterparts, func(g Counterpart) bool {
		return slices.ContainsFunc(g.Rungs, func(r CounterpartRung) bool { return r.Theirs > 0 })
	})
}
