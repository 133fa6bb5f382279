package grade

import (
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Missing names the planned trials that the run does not hold. What is known without them has a
// wider interval, or a line that ends earlier; Lost is about those that were measured. A search
// plans none beforehand.
func Missing(s *setup.Subject, g Graded) Graded {
	if s.Run.Plan == nil || !g.measured() {
		return g
	}
	missing, planned := missingTrials(s)
	if s.Running {
		return g.warned(toCome(total(missing), total(planned)))
	}
	for i := range g.Variants {
		v := &g.Variants[i]
		var rungs []trust.Reason
		severity := trust.Caution
		for _, n := range slices.Sorted(maps.Keys(missing[v.Name])) {
			rungs = append(rungs, missingAt(missing[v.Name][n], planned[v.Name][n], n))
			if deciding(v.LoadLine, n) {
				severity = trust.Serious
			}
		}
		if rungs == nil {
			continue
		}
		g = g.warned(trust.Warn(trust.MissingTrial, severity, trust.MissingOfVariant, trust.Name(v.Name), trust.All(rungs...)))
	}
	return g
}

// toCome says that the verdict rests on a part of the run.
func toCome(missing, planned int) trust.Warning {
	if missing == 0 {
		return trust.Warn(trust.Running, trust.Note, trust.RunningSoFar)
	}
	return trust.Warn(trust.Running, trust.Note, trust.RunningToCome, trust.Count(missing), trust.Count(planned))
}

func total(counts map[string]map[int]int) (n int) {
	for _, rungs := range counts {
		for _, count := range rungs {
			n += count
		}
	}
	return n
}

// missingTrials counts the planned trials, and the planned trials that are not in the run,
// by variant and rung.
func missingTrials(s *setup.Subject) (missing, planned map[string]map[int]int) {
	missing, planned = map[string]map[int]int{}, map[string]map[int]int{}
	for _, p := range s.Run.Plan.Trials {
		if planned[p.Variant] == nil {
			missing[p.Variant], planned[p.Variant] = map[int]int{}, map[int]int{}
		}
		planned[p.Variant][p.Rung]++
		if !accountedFor(s, p.ID) {
			missing[p.Variant][p.Rung]++
		}
	}
	return missing, planned
}

// accountedFor reports whether a trial is in the run, be it that another attempt counts
// in its place, or that a warning says already why it is not.
func accountedFor(s *setup.Subject, id string) bool {
	for _, w := range s.Damage {
		if w.Trial == id {
			return true
		}
	}
	for _, p := range s.Run.Problems {
		if at, _ := s.Run.Own(strings.TrimPrefix(p.File, result.TrialsDir+"/")); strings.HasPrefix(at, id+"/") {
			return true
		}
	}
	return slices.ContainsFunc(s.Attempted(), func(t *result.Trial) bool { return t.ID == id })
}

func missingAt(missing, planned, instances int) trust.Reason {
	if missing == planned {
		return trust.Reason{Kind: trust.MissingTrial, Form: trust.MissingAllAt, Args: []trust.Arg{trust.Count(instances)}}
	}
	return trust.Reason{Kind: trust.MissingTrial, Form: trust.MissingSomeAt, Args: []trust.Arg{trust.Count(missing), trust.Count(planned), trust.Count(instances)}}
}

// deciding reports whether the line rests on a rung, or would have if it had been
// measured.
func deciding(l loadline.LoadLine, instances int) bool {
	return instances >= l.Rung && (l.Open || instances <= l.Next || l.Next == 0)
}
