package analysis

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

func (s *subject) studyInfo() StudyInfo {
	i := StudyInfo{
		Name: s.Study.Name, Title: s.Study.Title, Question: s.Study.Question,
		Source: s.Study.Source, Profile: s.Study.Profile, Reduced: s.Study.Reduced, Set: s.Study.Set,
		Workload: s.Study.Workload.Name, Work: trial.ProfileOf(s.Run.Trials), Noun: s.noun, Objectives: s.Study.Objectives,
	}
	i.Unit = i.Work.Unit.Throughput
	if i.Name == "" {
		i.Name = s.Run.ID
	}
	if i.Title == "" {
		i.Title = i.Name
	}
	if i.Objectives == nil {
		i.Objectives = []study.Objective{}
	}
	for _, t := range s.Run.Trials {
		if t.Dataset != "" {
			i.Dataset = t.Dataset
			break
		}
	}
	return i
}

func (s *subject) runInfo() RunInfo {
	i := RunInfo{ID: s.Run.ID}
	if s.Run.Machine != nil {
		i.Plimsoll = s.Run.Machine.Plimsoll
	}
	for _, t := range s.Run.Trials {
		if i.Started.IsZero() || (!t.Begun.IsZero() && t.Begun.Before(i.Started)) {
			i.Started = t.Begun
		}
		if t.Ended.After(i.Ended) {
			i.Ended = t.Ended
		}
		i.Simulated = i.Simulated || t.Storage.Simulated
		if trial.Published(t) {
			i.Reference = s.Study.Source
		}
	}
	return i
}

// machines are those that any trial ran on, but for the campaign's own, with all
// that they were there for.
func (s *subject) machines() (all []result.Host) {
	for _, t := range s.Run.Trials {
		for _, h := range t.Machines {
			at, known := slices.BinarySearchFunc(all, h.Name, func(a result.Host, name string) int { return cmp.Compare(a.Name, name) })
			switch {
			case h.Name == result.LocalMachine:
			case known:
				roles := slices.Concat(all[at].Roles, h.Roles)
				slices.Sort(roles)
				all[at].Roles = slices.Compact(roles)
			default:
				h.Roles = slices.Clone(h.Roles)
				all = slices.Insert(all, at, h)
			}
		}
	}
	return all
}

// levelText writes a level that says nothing by itself, a number or a switch, with
// the last element of its path as its noun, and any other alone: "4 CPU per instance",
// "scale 10", "write", "32KB".
func levelText(path, level string) string {
	if whose, is := cpuOf(path); is {
		return level + " CPU per " + whose
	}
	if _, err := strconv.ParseFloat(level, 64); err == nil || slices.Contains([]string{"true", "false", "on", "off", "yes", "no", "none", ""}, level) {
		return factorName(path) + " " + level
	}
	return level
}

// factorName is the last element of a factor's path, for charts; of a CPU it says whose.
func factorName(path string) string {
	if whose, is := cpuOf(path); is {
		return "CPU per " + whose
	}
	return strings.ReplaceAll(study.Leaf(path), "_", " ")
}

// cpuOf says whose CPU a factor limits: each instance's, each server's of a role, or each
// storage server's.
func cpuOf(path string) (whose string, is bool) {
	parts := strings.Split(path, ".")
	switch {
	case study.Leaf(path) != "cpu":
		return "", false
	case parts[0] == "storage":
		return "storage server", true
	case parts[0] == "stack" && len(parts) == 3:
		return parts[1] + " server", true
	}
	return "instance", true
}

// problems reports what of the run could not be read or never ended.
func (s *subject) problems() []trust.Warning {
	warnings := append([]trust.Warning{}, s.Damage...)
	if s.Run.Plan == nil {
		warnings = append(warnings, trust.Warning{Kind: "damaged", Severity: "serious",
			Text: "the plan could not be read: objectives, prices and missing trials are unknown"})
	}
	for _, p := range s.Run.Problems {
		warnings = append(warnings, trust.Warning{Kind: "damaged", Severity: "caution", Text: p.String()})
	}
	warnings = append(warnings, s.LeftOut()...)
	for _, id := range s.Run.Unfinished {
		if s.running {
			break // the one that is measured now
		}
		warnings = append(warnings, trust.Warning{Trial: id, Kind: "unfinished", Severity: "caution",
			Text: "the trial started and never finished; it is left out"})
	}
	for _, t := range s.Run.Trials {
		if t.Status != result.Passed {
			warnings = append(warnings, trust.Warning{Trial: t.ID, Kind: "failed", Severity: "serious", Text: "the trial failed: " + answer.CauseOf(t)})
		}
	}
	return warnings
}

func (s *subject) trialInfos() []TrialInfo {
	out := make([]TrialInfo, 0, len(s.Attempted()))
	for _, t := range s.Attempted() {
		i := s.trialInfo(t)
		if why := s.WhyLeftOut(t.ID); why != "" {
			i.Status, i.Cause, i.Notes = LeftOut, "", append([]string{why}, t.Notes...)
		}
		out = append(out, i)
	}
	return out
}

func (s *subject) trialInfo(t *result.Trial) TrialInfo {
	o := t.Whole()
	i := TrialInfo{
		ID: t.ID, Position: t.Position, Variant: t.Variant.Name, Rung: t.Rung, Repetition: t.Repetition,
		Status: string(t.Status), Throughput: trial.Throughput(t), WholeRun: trial.WholeRun(t), Without: trial.Without(t), Payload: trial.Payload(t),
		Mean: stats.Finite(o.Mean), P95: stats.Finite(o.P95), P99: stats.Finite(o.P99),
		Start: t.Start, Events: trial.Events(t), Notes: t.Notes,
	}
	if t.Failure != nil {
		i.Cause = answer.CauseOf(t)
	}
	if t.Audit != nil {
		i.Audit = t.Audit.Text
	}
	if !t.Start.IsZero() && !t.MeasureStart.IsZero() {
		i.WarmupEnd = t.MeasureStart.Sub(t.Start).Seconds()
		i.End = i.WarmupEnd + trial.Seconds(t)
	}
	return i
}

// Noun is what a rung counts, in the singular: instances, or what the workload calls
// its users, unless a publication names something else, such as tiles.
func Noun(e *trust.Evidence) string {
	if noun := model.ParameterText(e.Study.Workload.Parameters, "noun"); noun != "" {
		return noun
	}
	return e.Study.Ladder.Noun(trial.ProfileOf(e.Run.Trials).User)
}
