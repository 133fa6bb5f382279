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

// Set grades the trials by their doubts, writes the grades into the rungs and trials, and
// returns the worst grade that the verdict rests on: the grades of the trials that passed
// at the load line and at the rung above it.
func Set(s *setup.Subject, a *model.Analysis, doubts []trust.Warning) {
	grades := trust.Grades(s.Run.Trials, doubts)
	for i := range a.Trials {
		a.Trials[i].Grade = grades[a.Trials[i].ID]
	}
	for i := range a.Variants {
		v := &a.Variants[i]
		for j := range v.Rungs {
			r := &v.Rungs[j]
			r.Grade = worstGrade(passedTrials(a, r), grades)
			if r.Instances == v.LoadLine.Rung || r.Instances == v.LoadLine.Next {
				a.Grade = max(a.Grade, r.Grade)
			}
		}
	}
}

// passedTrials lists a rung's trials that passed.
func passedTrials(a *model.Analysis, r *rung.Rung) []string {
	var out []string
	for _, t := range a.Trials {
		if t.Variant != "" && t.Status == string(result.Passed) && slices.Contains(r.Trials, t.ID) {
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
