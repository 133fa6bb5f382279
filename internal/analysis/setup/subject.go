// Package setup describes what was tested: the study, its variants and their settings, the
// factors in which they differ, and the servers, storage and machines of their trials.
package setup

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Subject is a run under analysis with what every step needs of it.
type Subject struct {
	*trust.Evidence
	Noun    string // what a rung counts: "instance"
	Running bool   // the run goes on
}

// New sifts the trials of a run.
func New(run *result.Run) *Subject {
	e := trust.Sift(run)
	return &Subject{Evidence: e, Noun: Noun(e)}
}

// Variants is the plan's variants, then those that only trials name.
func (s *Subject) Variants() []study.Variant {
	var list []study.Variant
	seen := map[string]bool{}
	add := func(v study.Variant) {
		if !seen[v.Name] {
			seen[v.Name] = true
			list = append(list, v)
		}
	}
	for _, v := range planVariants(s.Run.Plan) {
		add(v)
	}
	for _, t := range s.Run.Trials {
		add(t.Variant)
	}
	return list
}

func planVariants(p *plan.Plan) []study.Variant {
	if p == nil {
		return nil
	}
	return p.Variants
}

// Noun is what a rung counts, in the singular: instances, or what the workload calls
// its users, unless a publication names something else, such as tiles.
func Noun(e *trust.Evidence) string {
	if noun := model.ParameterText(e.Study.Workload.Parameters, "noun"); noun != "" {
		return noun
	}
	return e.Study.Ladder.Noun(trial.ProfileOf(e.Run.Trials).User)
}
