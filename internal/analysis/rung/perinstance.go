// This file judges the instances of a rung one by one: an objective that all of
// them keep together may be missed by one that starves. Instances are few and their
// units of work fewer, so a miss is only said where chance does not explain it.

package rung

import (
	"cmp"
	"slices"

	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// WorstInstance is the instance of a rung that stands worst to an objective.
type WorstInstance struct {
	Instance int     `json:"instance"` // its number, from 0
	Trial    string  `json:"trial"`    // of the rung's repetitions
	Value    float64 `json:"value"`    // its own figure, in seconds or as a share
	Units    int64   `json:"units"`    // units of work, or of the objective's operation, that it completed
	// Share is the instance's share of the trial's units of work, and Even the share if all
	// instances did the same.
	Share float64 `json:"share"`
	Even  float64 `json:"even"`
	// Machine is the one that it ran on, empty where that goes without saying.
	Machine string   `json:"machine,omitempty"`
	Volumes []string `json:"volumes,omitempty"` // names of its volumes
	// Misses reports that it misses the objective, beyond what chance explains with so
	// many instances and units of work.
	Misses bool `json:"misses"`
	// Apart reports that it stands worse to it than all instances of its trial together, beyond
	// what chance explains: among instances that are alike, one is the worst, too.
	Apart bool `json:"apart,omitempty"`
	// Doubtful reports that it may.
	Doubtful bool `json:"doubtful,omitempty"`
	// Starved reports that it completed so little that Value is only how long its
	// users waited on average, at least.
	Starved bool `json:"starved,omitempty"`
	// Missing is in how many of Trials, those that were judged, it misses the objective, and
	// Any in how many of them some instance does.
	Missing int `json:"missing,omitempty"`
	Any     int `json:"any,omitempty"`
	Trials  int `json:"trials,omitempty"`
	// TooFew is how many instances lie beyond the limit on too few units of work to
	// be judged one by one.
	TooFew int `json:"too_few,omitempty"`
}

// Sure reports whether the miss is no matter of the trial: an instance misses the objective
// in each of several.
func (w WorstInstance) Sure() bool { return w.Misses && w.Trials > 1 && w.Any == w.Trials }

// Always reports whether it is the same instance in each of them.
func (w WorstInstance) Always() bool { return w.Sure() && w.Missing == w.Trials }

// confidence is the level of the judgement of a rung, as of every interval; half of the
// error is allotted to false misses.
const instanceConfidence = 0.95

// byAccident is how often one of instances that are alike may be said to stand apart.
const apartByAccident = 0.01

// JudgeInstances holds every instance of the trials against an objective and gives the
// worst; nil if there is only one instance, or instance figures were not recorded. An
// objective on a single operation judges that operation.
func JudgeInstances(o study.Objective, trials []*result.Trial) *WorstInstance {
	whole := trial.IsWhole(trial.ProfileOf(trials), o.Operation)
	type judged struct {
		WorstInstance
		of *result.Trial
	}
	var all []judged
	tooFew, missing := 0, misses{of: map[int]int{}}
	for _, t := range trials {
		if len(t.Instances) < 2 {
			continue
		}
		missing.trials++
		before := missing.all
		family, among := float64(len(t.Instances)*len(trials)), crowdOf(t)
		for i := range t.Instances {
			w, few, known := judgeInstance(o, whole, among, i, family)
			if known {
				all = append(all, judged{w, t})
			}
			if few {
				tooFew++
			}
			if known && w.Misses {
				missing.of[w.Instance]++
				missing.all = before + 1
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	worst := slices.MaxFunc(all, func(a, b judged) int {
		return cmp.Or(compareBool(a.Misses, b.Misses), compareMissing(a.WorstInstance, b.WorstInstance, missing), compareBool(a.Doubtful, b.Doubtful), cmp.Compare(a.Value, b.Value))
	})
	if worst.Misses {
		worst.Missing, worst.Any, worst.Trials = missing.of[worst.Instance], missing.all, missing.trials
	}
	worst.TooFew, worst.Machine = tooFew, machineOf(worst.of, worst.Instance)
	return &worst.WorstInstance
}

// misses counts the misses of an objective.
type misses struct {
	of     map[int]int // trials in which an instance misses it, by its number
	all    int         // trials in which any does
	trials int         // that were judged
}

// compareMissing puts an instance that misses an objective in more trials behind others.
func compareMissing(a, b WorstInstance, m misses) int {
	if !a.Misses || !b.Misses {
		return 0
	}
	return cmp.Compare(m.of[a.Instance], m.of[b.Instance])
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// judgeInstance holds one instance against an objective. few says that it lies beyond the limit
// on too few units of work.
func judgeInstance(o study.Objective, whole bool, among crowd, i int, family float64) (w WorstInstance, few, known bool) {
	s := &among.Instances[i]
	w = WorstInstance{Instance: s.Instance, Trial: among.ID, Volumes: s.Volumes}
	w.Share, w.Even = among.share(s), 1/float64(len(among.Instances))
	alpha := (1 - instanceConfidence) / 2
	f, units, known := ownFigure(o, whole, among, s)
	w.Value, w.Units = f.value, units
	if known {
		w.Misses = f.value > o.Limit && f.low(alpha/family) > o.Limit
		if all, is := trial.ObjectiveValue(o, among.Trial); is {
			w.Apart = f.value > all && f.low(apartByAccident/family) > all
		}
		w.Doubtful = !w.Misses && f.enough && f.value > o.Limit && f.low(alpha) > o.Limit
	}
	if !o.IsShare() && among.starves(s, alpha/family) && !tells(o, s, f, w.Misses) {
		w.Value, w.Units, w.Starved, w.Doubtful = among.starvedFor(s), s.Count, true, false
		w.Apart = among.starves(s, apartByAccident/family)
		w.Misses = w.Value > o.Limit
		return w, false, true
	}
	return w, known && f.value > o.Limit && !w.Misses && !f.enough, known
}

// tells reports whether an instance which starves has completed enough to be judged by it. What
// its users are still waiting for is in no mean.
func tells(o study.Objective, s *result.InstanceSummary, own figure, misses bool) bool {
	return s.Count >= fewUnits && (misses || own.enough && o.Metric != "mean")
}

// ownFigure is an instance's figure of an objective, of so many units of work or of the
// objective's operation.
func ownFigure(o study.Objective, whole bool, among crowd, s *result.InstanceSummary) (f figure, units int64, known bool) {
	if whole {
		f, known = figureOf(o, among, s)
		return f, s.Count, known
	}
	part, recorded := s.Of(o.Operation)
	if !recorded {
		return figure{}, 0, false
	}
	f, known = figureOf(o, among, &part)
	return f, part.Count, known
}
