package analysis

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

func (s *subject) studyInfo() StudyInfo {
	i := StudyInfo{
		Name: s.study.Name, Title: s.study.Title, Question: s.study.Question,
		Source: s.study.Source, Profile: s.study.Profile, Reduced: s.study.Reduced,
		Workload: s.study.Workload.Name, Unit: s.unit.name, Noun: s.noun, Objectives: s.study.Objectives,
	}
	if i.Name == "" {
		i.Name = s.run.ID
	}
	if i.Title == "" {
		i.Title = i.Name
	}
	if i.Objectives == nil {
		i.Objectives = []study.Objective{}
	}
	for _, t := range s.run.Trials {
		if t.Dataset != "" {
			i.Dataset = t.Dataset
			break
		}
	}
	return i
}

func (s *subject) runInfo() RunInfo {
	i := RunInfo{ID: s.run.ID}
	if s.run.Machine != nil {
		i.Plimsoll = s.run.Machine.Plimsoll
	}
	for _, t := range s.run.Trials {
		if i.Started.IsZero() || (!t.Begun.IsZero() && t.Begun.Before(i.Started)) {
			i.Started = t.Begun
		}
		if t.Ended.After(i.Ended) {
			i.Ended = t.Ended
		}
		i.Simulated = i.Simulated || t.Storage.Simulated
		if published(t) {
			i.Reference = s.study.Source
		}
	}
	return i
}

// published says that a trial is a published figure rather than a
// measurement of ours.
func published(t *result.Trial) bool { return t.Engine.Source == PublishedSource }

// label is a variant's name for charts: its levels, "hdd, 4 CPU".
func label(v study.Variant) string {
	parts := []string{}
	if level, ok := v.Factors["storage"]; ok {
		parts = append(parts, cmp.Or(v.Storage.Label, level))
	}
	for _, path := range stats.SortedKeys(v.Factors) {
		if path != "storage" {
			parts = append(parts, levelText(path, v.Factors[path]))
		}
	}
	if len(parts) == 0 {
		return v.Name
	}
	return strings.Join(parts, ", ")
}

// levelText writes a level with the last element of its path as its noun.
func levelText(path, level string) string {
	noun := path[strings.LastIndexByte(path, '.')+1:]
	if noun == "cpu" {
		return level + " CPU"
	}
	return strings.ReplaceAll(noun, "_", " ") + " " + level
}

// problems reports what of the run could not be read or never ended.
func (s *subject) problems() []Warning {
	warnings := append([]Warning{}, s.damage...)
	if s.run.Plan == nil {
		warnings = append(warnings, Warning{Kind: "damaged", Severity: "serious",
			Text: "the plan could not be read: objectives, prices and missing trials are unknown"})
	}
	for _, p := range s.run.Problems {
		warnings = append(warnings, Warning{Kind: "damaged", Severity: "caution", Text: p.String()})
	}
	warnings = append(warnings, s.leftOut()...)
	for _, id := range s.run.Unfinished {
		warnings = append(warnings, Warning{Trial: id, Kind: "unfinished", Severity: "caution",
			Text: "the trial started and never finished; it is left out"})
	}
	for _, t := range s.run.Trials {
		if t.Status != result.Passed {
			warnings = append(warnings, Warning{Trial: t.ID, Kind: "failed", Severity: "serious", Text: "the trial failed: " + cause(t)})
		}
	}
	return warnings
}

func cause(t *result.Trial) string {
	if t.Failure == nil {
		return "no cause was recorded"
	}
	if t.Failure.Stage == "" || published(t) {
		return t.Failure.Cause
	}
	return fmt.Sprintf("%s (stage: %s)", t.Failure.Cause, t.Failure.Stage)
}

// LeftOut is the status of a trial that another attempt replaces.
const LeftOut = "left out"

func (s *subject) trialInfos() []TrialInfo {
	out := make([]TrialInfo, 0, len(s.attempted))
	for _, t := range s.attempted {
		i := s.trialInfo(t)
		if why := s.left[t.ID]; why != "" {
			i.Status, i.Cause, i.Notes = LeftOut, "", append([]string{why}, t.Notes...)
		}
		out = append(out, i)
	}
	return out
}

func (s *subject) trialInfo(t *result.Trial) TrialInfo {
	order := t.Operations["order"]
	i := TrialInfo{
		ID: t.ID, Order: t.Position, Variant: t.Variant.Name, Rung: t.Rung, Repetition: t.Repetition,
		Status: string(t.Status), Throughput: s.unit.throughput(t),
		Mean: stats.Finite(order.Mean), P95: stats.Finite(order.P95), P99: stats.Finite(order.P99),
		Start: t.Start, Events: t.Events, Notes: t.Notes,
	}
	if t.Failure != nil {
		i.Cause = cause(t)
	}
	if t.Audit != nil {
		i.Audit = t.Audit.Text
	}
	if !t.Start.IsZero() && !t.MeasureStart.IsZero() {
		i.WarmupEnd = t.MeasureStart.Sub(t.Start).Seconds()
		i.End = i.WarmupEnd + measured(t)
	}
	return i
}

// PublishedSource is result.EngineInfo.Source of trials that stand for
// published figures.
const PublishedSource = "published"

// nounOf is what a rung counts: instances, unless the workload's parameters
// name something else, such as streams.
func nounOf(w study.Workload) string {
	if noun := parameterText(w.Parameters, "noun"); noun != "" {
		return noun
	}
	return "instance"
}
