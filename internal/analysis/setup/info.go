package setup

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// StudyInfo describes the study for a report.
func (s *Subject) StudyInfo() model.StudyInfo {
	i := model.StudyInfo{
		Name: s.Study.Name, Title: s.Study.Title, Question: s.Study.Question,
		Source: s.Study.Source, Profile: s.Study.Profile, Reduced: s.Study.Reduced, Set: s.Study.Set,
		Workload: s.Study.Workload.Name, Work: trial.ProfileOf(s.Run.Trials), Noun: s.Noun, Objectives: s.Study.Objectives,
	}
	i.Unit = i.Work.Unit.Throughput
	i.OpenLoop = len(s.Run.Trials) > 0 && !s.Any(func(t *result.Trial) bool { return !s.OpenLoop(t.Variant.Name) })
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

// RunInfo describes the run for a report.
func (s *Subject) RunInfo() model.RunInfo {
	i := model.RunInfo{ID: s.Run.ID, Within: within(s.Run.Trials)}
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
		i.Simulated = i.Simulated || t.Storage().Simulated
		if trial.Published(t) {
			i.Reference = s.Study.Source
		}
	}
	return i
}

// Machines are those that any trial ran on, but for the campaign's own, with all
// that they were there for.
func (s *Subject) Machines() (all []result.Host) {
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
