// Package grade says how far the answer of a run may be off: it adds up what the doubts about its
// trials may have changed, for the figures that the answer rests on, and gives the sum a letter; it says
// what would make it smaller, and refuses an answer that is too far off.
package grade

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Graded is what has a grade: the variants' rungs and the trials. Warnings are the run's.
type Graded struct {
	Variants []model.Variant
	Trials   []model.TrialInfo
	Warnings []trust.Warning
}

// Of grades trials, and rungs by those that passed.
func Of(s *setup.Subject, variants []model.Variant, trials []model.TrialInfo, doubts []trust.Warning) Graded {
	g := copied(variants, trials)
	g.Warnings = doubts
	grades := trust.Grades(s.Run.Trials, doubts)
	for i := range g.Trials {
		g.Trials[i].Grade = grades[g.Trials[i].ID]
	}
	about := byTrial(doubts)
	for i := range g.Variants {
		v := &g.Variants[i]
		for j := range v.Rungs {
			if r := &v.Rungs[j]; r.Repetitions > 0 {
				r.Grade = summed(ofRung(r, passedTrials(g.Trials, r), about, byRate)).Grade()
			}
		}
	}
	return g
}

// copied are variants and trials whose grades may be changed.
func copied(variants []model.Variant, trials []model.TrialInfo) Graded {
	g := Graded{Variants: slices.Clone(variants), Trials: slices.Clone(trials)}
	for i := range g.Variants {
		g.Variants[i].Rungs = slices.Clone(g.Variants[i].Rungs)
	}
	return g
}

// warned adds warnings.
func (g Graded) warned(more ...trust.Warning) Graded {
	g.Warnings = slices.Concat(g.Warnings, more)
	return g
}

// measured reports whether there is anything to grade.
func (g Graded) measured() bool {
	return slices.ContainsFunc(g.Trials, hasPassed)
}

func byTrial(warnings []trust.Warning) map[string][]trust.Warning {
	about := map[string][]trust.Warning{}
	for _, w := range warnings {
		about[w.Trial] = append(about[w.Trial], w)
	}
	return about
}

func hasPassed(t model.TrialInfo) bool {
	return t.Variant != "" && t.Status == string(result.Passed)
}

// passedTrials lists a rung's trials that passed.
func passedTrials(trials []model.TrialInfo, r *rung.Rung) []string {
	var out []string
	for _, t := range trials {
		if hasPassed(t) && slices.Contains(r.Trials, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}
