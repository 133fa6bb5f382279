// Package grade says how far a whole run can be trusted: which planned trials are missing, the worst
// grade of those that the verdict rests on, and whether that refuses it.
package grade

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Graded is what has a grade: the variants' rungs, the trials and the run, whose grade is the worst
// that the verdict rests on. Warnings are the run's, with those that lowered a grade.
type Graded struct {
	Grade    string
	Variants []model.Variant
	Trials   []model.TrialInfo
	Warnings []trust.Warning
}

// Of grades trials by the doubts about them. The verdict rests on the trials that passed at the
// load line and at the rung above it.
func Of(s *setup.Subject, variants []model.Variant, trials []model.TrialInfo, doubts []trust.Warning) Graded {
	g := copied(variants, trials)
	grades := trust.Grades(s.Run.Trials, doubts)
	counting := map[string]string{} // of those that passed
	for i := range g.Trials {
		t := &g.Trials[i]
		t.Grade = grades[t.ID]
		if hasPassed(*t) {
			counting[t.ID] = t.Grade
		}
	}
	for i := range g.Variants {
		v := &g.Variants[i]
		for j := range v.Rungs {
			r := &v.Rungs[j]
			r.Grade = worstGrade(r.Trials, counting)
			if r.Instances == v.LoadLine.Rung || r.Instances == v.LoadLine.Next {
				g.Grade = max(g.Grade, r.Grade)
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

func worstGrade(ids []string, grades map[string]string) string {
	worst := ""
	for _, id := range ids {
		worst = max(worst, grades[id])
	}
	return worst
}
