package analysis

import (
	"fmt"
	"sort"

	"plimsoll/internal/analysis/repetition"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// trialGroup is the repetitions of one variant at one rung.
type trialGroup struct {
	instances int
	passed    []*result.Trial
	failed    []*result.Trial
}

// groupByRung sorts a variant's trials into its rungs, smallest first.
func groupByRung(trials []*result.Trial) []trialGroup {
	byCount := map[int]*trialGroup{}
	for _, t := range trials {
		g := byCount[t.Rung]
		if g == nil {
			g = &trialGroup{instances: t.Rung}
			byCount[t.Rung] = g
		}
		if t.Status == result.Passed {
			g.passed = append(g.passed, t)
		} else {
			g.failed = append(g.failed, t)
		}
	}
	groups := make([]trialGroup, 0, len(byCount))
	for _, g := range byCount {
		sort.Slice(g.passed, func(i, j int) bool { return g.passed[i].Repetition < g.passed[j].Repetition })
		groups = append(groups, *g)
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].instances < groups[j].instances })
	return groups
}

// trialIDs lists the group's trials, passed ones first.
func (g trialGroup) trialIDs() []string {
	ids := make([]string, 0, len(g.passed)+len(g.failed))
	for _, t := range append(append([]*result.Trial{}, g.passed...), g.failed...) {
		ids = append(ids, t.ID)
	}
	return ids
}

// rung sums the repetitions of a rung and judges it.
func (s *subject) rung(g trialGroup) Rung {
	r := Rung{
		Instances:   g.instances,
		Repetitions: len(g.passed),
		Failed:      len(g.failed),
		Trials:      g.trialIDs(),
		Objectives:  make([]ObjectiveResult, 0, len(s.study.Objectives)),
	}
	if len(g.passed) > 0 {
		r.measure(g.passed, s)
	}
	for _, o := range s.study.Objectives {
		r.Objectives = append(r.Objectives, judge(o, &r, g.passed))
	}
	r.Breaks = breaks(g)
	r.Kept = kept(g, r)
	return r
}

// measure fills the rung's figures from the repetitions that passed.
func (r *Rung) measure(passed []*result.Trial, s *subject) {
	r.Throughput = exactly(stats.MedianOf(collect(passed, s.unit.throughput)))
	r.RolledBack, _ = shareOf(study.Objective{Metric: "rolledback"}, passed)
	r.Errors, _ = shareOf(study.Objective{Metric: "errors"}, passed)
	r.ErrorClasses = errorClasses(passed)
	r.Mean = exactly(stats.MedianOf(collect(passed, orderMean)))
	r.Operations = operationsOf(passed)
	order := r.Operations["order"]
	r.Percentile = order.Percentile
	r.P95 = exactly(r.Percentile["p95"])
	r.Resources = s.resourcesOf(passed)
	r.Fairness = fairnessOf(passed)
}

func orderMean(t *result.Trial) float64 { return t.Operations["order"].Mean }

func orderP95(t *result.Trial) float64 { return t.Operations["order"].P95 }

// setIntervals gives the figures of a variant's rungs their intervals: Student's
// t on the logarithms of the repetitions, with the noise learnt from all rungs.
func (s *subject) setIntervals(rungs []Rung, groups []trialGroup) {
	for _, figure := range []struct {
		of    func(*Rung) *Interval
		value func(*result.Trial) float64
	}{
		{func(r *Rung) *Interval { return &r.Throughput }, s.unit.throughput},
		{func(r *Rung) *Interval { return &r.Mean }, orderMean},
		{func(r *Rung) *Interval { return &r.P95 }, orderP95},
	} {
		logs := make([][]float64, len(groups))
		for i, g := range groups {
			logs[i] = stats.Logarithms(collect(g.passed, figure.value))
		}
		for i, e := range repetition.Means(logs) {
			at := figure.of(&rungs[i])
			*at = relativeInterval(at.Value, e)
		}
	}
}

// errorClasses counts the orders that failed by what went wrong.
func errorClasses(passed []*result.Trial) map[string]int64 {
	var out map[string]int64
	for _, t := range passed {
		for class, n := range t.Operations["order"].Errors {
			if out == nil {
				out = map[string]int64{}
			}
			out[class] += n
		}
	}
	return out
}

// breaks says in a clause what besides the objectives breaks the rung.
func breaks(g trialGroup) string {
	for _, t := range g.failed {
		if underLoad(t) {
			return fmt.Sprintf("%d of %d trials failed: %s", len(g.failed), len(g.failed)+len(g.passed), cause(t))
		}
	}
	return shortfall(g.passed)
}

// underLoad says that a trial failed while users were at work, or lost what it
// had acknowledged, rather than before it began or after it was over.
func underLoad(t *result.Trial) bool {
	if t.Audit != nil && !t.Audit.Passed {
		return true
	}
	return t.Failure != nil && (t.Failure.Stage == "drive" || t.Failure.Stage == "recover" || t.Failure.Stage == "heal" || t.Failure.Stage == "audit")
}

// kept says whether the rung keeps every objective. A trial that failed under
// load, or lost an order, breaks the rung, whatever the others did: a server that
// gives up in one of three runs carries nothing. Of trials that failed before
// that or after, the majority decides.
func kept(g trialGroup, r Rung) bool {
	if len(g.passed) <= len(g.failed) || r.Breaks != "" {
		return false
	}
	for _, o := range r.Objectives {
		if !o.Kept {
			return false
		}
	}
	return true
}

func collect(trials []*result.Trial, value func(*result.Trial) float64) []float64 {
	out := make([]float64, len(trials))
	for i, t := range trials {
		out[i] = value(t)
	}
	return out
}

// operationsOf pools each operation over the repetitions.
func operationsOf(passed []*result.Trial) map[string]OperationStats {
	out := map[string]OperationStats{}
	for _, name := range operationNames(passed) {
		out[name] = operationStats(name, passed)
	}
	return out
}

func operationNames(trials []*result.Trial) []string {
	seen := map[string]bool{}
	for _, t := range trials {
		for name := range t.Operations {
			seen[name] = true
		}
	}
	return stats.SortedKeys(seen)
}

func operationStats(name string, passed []*result.Trial) OperationStats {
	var s OperationStats
	var summaries []result.OperationSummary
	var rates, means []float64
	for _, t := range passed {
		o, ok := t.Operations[name]
		if !ok {
			continue
		}
		summaries = append(summaries, o)
		rates = append(rates, stats.Ratio(float64(o.Count)*60, measured(t)))
		means = append(means, o.Mean)
		s.Errors += sumErrors(o.Errors)
	}
	s.PerMinute = stats.MedianOf(rates)
	s.Mean = stats.MedianOf(means)
	s.Percentile, s.Pooled = pooledPercentiles(summaries)
	return s
}

// fairnessOf compares the instances' throughput, each averaged over the
// repetitions. Jain's index is (sum x)^2 / (n * sum x^2) (Jain, Chiu and
// Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984).
func fairnessOf(passed []*result.Trial) *Fairness {
	sums, counts := map[int]float64{}, map[int]float64{}
	for _, t := range passed {
		for _, i := range t.Instances {
			rate := t.Profile.Unit.Rate(i.Count, i.Bytes, t.MeasureEnd.Sub(t.MeasureStart))
			if stats.Plausible(rate) {
				sums[i.Instance] += rate
				counts[i.Instance]++
			}
		}
	}
	if len(sums) < 2 {
		return nil
	}
	f := &Fairness{Instances: make([]float64, 0, len(sums))}
	var sum, squares float64
	for instance, total := range sums {
		v := total / counts[instance]
		f.Instances = append(f.Instances, v)
		sum += v
		squares += v * v
	}
	sort.Float64s(f.Instances)
	f.Jain = stats.Ratio(sum*sum, float64(len(f.Instances))*squares)
	return f
}

// setEfficiency relates each rung's throughput per instance to that of the
// smallest rung that has any: 1 is linear.
func setEfficiency(rungs []Rung) {
	base := 0.0
	for i := range rungs {
		each := stats.Ratio(rungs[i].Throughput.Value, float64(rungs[i].Instances))
		if base == 0 {
			base = each
		}
		rungs[i].Efficiency = stats.Ratio(each, base)
	}
}
