package rung

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// judgeEach adds how the worst instance stands to an objective. One that misses it
// breaks it, unless the study's objectives are of the whole.
func judgeEach(e *trust.Evidence, o study.Objective, of ObjectiveResult, passed []*result.Trial) ObjectiveResult {
	if e.Study.ObjectivesOf == study.OfWhole || o.Metric == study.Decline {
		return of
	}
	if of.Worst = JudgeInstances(o, passed); of.Worst != nil && of.Worst.Misses {
		of.Kept = false
	}
	return of
}

// ByInstance reports whether all instances together keep the objective, and one does not.
func (o ObjectiveResult) ByInstance() bool {
	return !o.Unknown && o.Value <= o.Limit && o.Worst != nil && o.Worst.Misses
}

// AnyDoubtful reports whether an instance may miss an objective at the rung.
func AnyDoubtful(r Rung) bool {
	return slices.ContainsFunc(r.Objectives, func(o ObjectiveResult) bool { return o.Worst != nil && o.Worst.Doubtful })
}

// Name is the metric, of its operation: "purchase p95".
func (o ObjectiveResult) Name() string { return strings.TrimSpace(o.Operation + " " + o.Metric) }

// IsShare reports whether Value and Limit are shares of the units of work, not seconds.
func (o ObjectiveResult) IsShare() bool { return study.Objective{Metric: o.Metric}.IsShare() }
