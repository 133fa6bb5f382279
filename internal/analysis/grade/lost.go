package grade

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Lost doubts an answer without a bound where a part of the run was recorded and is gone that it rests
// on, or might have: it may have said anything. That is the plan, which has the objectives; the
// machine, whose cores say what else used them; and trials that ended.
func Lost(s *setup.Subject, g Graded) Graded {
	if s.Run.Dir == "" || !g.measured() {
		return g
	}
	for _, file := range []struct {
		name string
		gone bool
	}{{result.PlanFile, s.Run.Plan == nil}, {result.MachineFile, s.Run.Machine == nil}} {
		if file.gone {
			g = g.warned(trust.Warn(trust.Missing, trust.Serious, trust.LostPlan, trust.Name(file.name)).By(bound.Unbounded))
		}
	}
	if gone := goneTrials(s); len(gone) > 0 {
		w := trust.Warn(trust.Missing, trust.Serious, trust.LostResults, trust.Names(gone))
		if decides(s, g.Variants, gone) {
			w = w.By(bound.Unbounded)
		}
		g = g.warned(w)
	}
	for _, ids := range [][]string{damagedTrials(s), unexplainedTrials(s)} {
		if decides(s, g.Variants, ids) {
			g = g.warned(trust.Warn(trust.Missing, trust.Serious, trust.LostTrials, trust.Names(ids)).By(bound.Unbounded))
		}
	}
	return g
}

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

// unexplainedTrials are planned trials that are not there, where no journal says that the run was
// stopped before it reached them.
func unexplainedTrials(s *setup.Subject) (ids []string) {
	if _, known := s.Run.Finished(); known || s.Run.Plan == nil || s.Running {
		return nil
	}
	for _, p := range s.Run.Plan.Trials {
		if !accountedFor(s, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	return ids
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
