package analysis

import (
	"slices"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

func (s *subject) trialInfos() []TrialInfo {
	out := make([]TrialInfo, 0, len(s.Attempted()))
	for _, t := range s.Attempted() {
		i := s.trialInfo(t)
		if why, out := s.WhyLeftOut(t.ID); out {
			i.Status, i.Cause, i.Notes = LeftOut, "", append([]string{warning.Why(why)}, t.Notes...)
		}
		out = append(out, i)
	}
	return out
}

func (s *subject) trialInfo(t *result.Trial) TrialInfo {
	o := t.Whole()
	i := TrialInfo{
		ID: t.ID, Position: t.Position, Variant: t.Variant.Name, Rung: t.Rung, Alone: t.Alone != "", Repetition: t.Repetition,
		Status: string(t.Status), Throughput: trial.Throughput(t), Stonewalled: trial.Stonewalled(t), Without: trial.Without(t), Payload: trial.Payload(t),
		Ceiling: rung.CeilingOf([]*result.Trial{t}, trial.Throughput(t)),
		Mean:    stats.Finite(o.Mean), P95: stats.Finite(o.P95), P99: stats.Finite(o.P99),
		Start: t.Start, Events: trial.Events(t), Notes: t.Notes,
	}
	if t.Ran() < t.Rung {
		i.Ran, i.SetAside = t.Ran(), firstAside(t)
	}
	if t.Failure != nil {
		i.Cause = say.CauseOf(t)
	}
	if t.Audit != nil {
		i.Audit = t.Audit.Text
		i.Uncounted = t.Audit.Uncounted != ""
		if t.Audit.Passed {
			i.Present = &t.Audit.Present
		}
	}
	if !t.Start.IsZero() && !t.MeasureStart.IsZero() {
		i.WarmupEnd = t.MeasureStart.Sub(t.Start).Seconds()
		i.End = i.WarmupEnd + trial.Seconds(t)
	}
	return i
}

// mostAside is how many instances that were set aside a report lists of a trial; trial.json
// has all of them.
const mostAside = 20

// firstAside are the first of a trial, with the first lines of their reasons.
func firstAside(t *result.Trial) []result.Exclusion {
	first := slices.Clone(t.SetAside[:min(len(t.SetAside), mostAside)])
	for n := range first {
		first[n].Reason = first[n].Briefly()
	}
	return first
}

// problems reports what of the run could not be read or never ended.
func (s *subject) problems() []trust.Warning {
	warnings := append([]trust.Warning{}, s.Damage...)
	if s.Run.Plan == nil {
		warnings = append(warnings, trust.Warn(trust.Damaged, trust.Serious, trust.DamagedPlan))
	}
	for _, p := range s.Run.Problems {
		warnings = append(warnings, trust.Warn(trust.Damaged, trust.Caution, trust.DamagedFile, trust.Name(p.String())))
	}
	warnings = append(warnings, s.LeftOut()...)
	for _, id := range s.Run.Unfinished {
		if s.Running {
			break // the one that is measured now
		}
		warnings = append(warnings, trust.Warn(trust.Unfinished, trust.Caution, trust.UnfinishedTrial).Of(id))
	}
	for _, t := range s.Run.Trials {
		if t.Status != result.Passed {
			warnings = append(warnings, trust.Warn(trust.Failed, trust.Serious, trust.FailedBecause, trust.Name(say.CauseOf(t))).Of(t.ID))
		}
	}
	return warnings
}
