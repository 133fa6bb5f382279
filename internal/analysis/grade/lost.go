package grade

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Lost lowers the grade to F where a part of the run was recorded and is gone that the verdict
// rests on, or might have: it may have had any grade. That is the plan, which has the
// objectives; the machine, whose cores say what else used them; and trials that ended.
func Lost(s *setup.Subject, g Graded) Graded {
	if s.Run.Dir == "" || g.Grade == "" {
		return g
	}
	if s.Run.Plan == nil || s.Run.Machine == nil {
		g.Grade = worst
	}
	gone := goneTrials(s)
	if len(gone) > 0 {
		g = g.warned(trust.Warn(trust.Missing, trust.Serious, trust.LostResults, trust.Names(gone)))
	}
	if decides(s, g.Variants, append(gone, damagedTrials(s)...)) || unexplained(s, g.Variants) {
		g.Grade = worst
	}
	return g
}

// worst is the grade of what nothing vouches for.
const worst = "F"

// goneTrials are those that the journal says came to their end, and that are not there.
func goneTrials(s *setup.Subject) (ids []string) {
	finished, _ := s.Run.Finished()
	for _, id := range finished {
		if !accountedFor(s, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// damagedTrials are those whose results cannot be read, or cannot be true.
func damagedTrials(s *setup.Subject) (ids []string) {
	for _, p := range s.Run.Problems {
		if id, is := strings.CutPrefix(p.File, result.TrialsDir+"/"); is {
			if id, own := s.Run.Own(strings.TrimSuffix(id, "/"+result.TrialFile)); own {
				ids = append(ids, id)
			}
		}
	}
	for _, w := range s.Damage {
		if w.Trial != "" {
			ids = append(ids, w.Trial)
		}
	}
	return ids
}

// unexplained reports whether planned trials are missing which the verdict rests on, and
// that no journal is there to say that the run was stopped before it reached them.
func unexplained(s *setup.Subject, variants []model.Variant) bool {
	if _, known := s.Run.Finished(); known || s.Run.Plan == nil || s.Running {
		return false
	}
	var missing []string
	for _, p := range s.Run.Plan.Trials {
		if !accountedFor(s, p.ID) {
			missing = append(missing, p.ID)
		}
	}
	return decides(s, variants, missing)
}

// decides reports whether the line of a variant rests on one of these trials, or would have.
func decides(s *setup.Subject, variants []model.Variant, ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		variant, rest, _ := strings.Cut(id, "/")
		text, _, _ := strings.Cut(rest, "/")
		rung, err := strconv.Atoi(text)
		return err == nil && slices.ContainsFunc(variants, func(v model.Variant) bool {
			return v.Name == variant && deciding(v.LoadLine, s.Run.Instances(rung))
		})
	})
}
