// Package rung measures the rungs of a ladder: it takes the trials of a rung and gives
// throughput, response times, errors, what resources did and whether the objectives were kept,
// over the repetitions and with intervals.
package rung

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"plimsoll/internal/analysis/iopath"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/steadiness"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Measure sums the repetitions of a rung and judges it.
func Measure(e *trust.Evidence, g trial.Group) Rung {
	r := Rung{
		Instances:   g.Instances,
		Repetitions: len(g.Passed),
		Failed:      len(g.Failed),
		FailedBy:    reasonsOf(g.Failed),
		Trials:      g.IDs(),
		Faults:      trial.Faults(slices.Concat(g.Passed, g.Failed)),
		Objectives:  make([]ObjectiveResult, 0, len(e.Study.Objectives)),
	}
	if ran := g.Ran(); ran < g.Instances {
		r.Ran = ran
	}
	passed := e.WholeOf(g.Passed)
	if len(passed) > 0 {
		r.measure(passed, e)
	}
	for _, o := range e.Study.Objectives {
		r.Objectives = append(r.Objectives, judgeEach(e, o, judge(o, &r, passed), passed))
	}
	r.Break = breakOf(e, e.Study.Objectives, g)
	r.Kept = keepsAll(g, r)
	return r
}

// MeasureAll measures and judges the rungs of a variant.
func MeasureAll(e *trust.Evidence, groups []trial.Group) []Rung {
	rungs := make([]Rung, 0, len(groups))
	for _, g := range groups {
		rungs = append(rungs, Measure(e, g))
	}
	return withGrowth(withIntervals(e, rungs, groups), groups, e.Study.Objectives)
}

// Worked is how many instances its figures are of, at least.
func (r *Rung) Worked() int { return cmp.Or(r.Ran, r.Instances) }

// TimeCounted reports whether its time profile is made of counted states of threads.
func (r *Rung) TimeCounted() bool { return r.Time != nil && r.Time.Counted }

// measure fills the rung's figures from the repetitions that passed.
func (r *Rung) measure(passed []*result.Trial, e *trust.Evidence) {
	r.Throughput = stats.Exactly(stats.MedianOf(trial.Collect(passed, trial.Throughput)))
	r.Payload = stats.Exactly(stats.MedianOf(trial.Collect(passed, trial.Payload)))
	r.Stonewalled = stats.Exactly(stats.MedianOf(trial.Collect(passed, trial.Stonewalled)))
	r.Without = stats.Exactly(stats.MedianOf(trial.Collect(passed, trial.Without)))
	r.Ceiling = CeilingOf(passed, r.Throughput.Value)
	r.RolledBack, _ = trial.Share(study.Objective{Metric: "rolledback"}, passed)
	r.Errors, _ = trial.Share(study.Objective{Metric: "errors"}, passed)
	r.ErrorClasses = errorClasses(passed)
	r.Mean = stats.Exactly(stats.MedianOf(trial.Collect(passed, trial.Mean)))
	r.Operations = operationsOf(passed)
	r.Percentile = r.Operations[trial.ProfileOf(passed).Whole()].Percentile
	r.P95 = stats.Exactly(r.Percentile["p95"])
	r.Resources = resource.Collect(e, passed)
	r.LeftOpen = resource.LeftOpen(e, passed)
	r.Time = timeprofile.Of(e, passed)
	r.IO = iopath.Of(e, passed)
	r.Requests = resource.RequestsOf(e, passed)
	r.UnitsPerSecond = stats.MedianOf(trial.Collect(passed, trial.UnitsPerSecond))
	r.Sides = SidesOf(e, passed)
	r.Fairness = fairnessOf(passed)
	r.Passed = passedOn(passed)
	r.Bursts = burstsOf(passed)
	r.Saving = savingOf(passed, r.Operations)
}

// withIntervals gives the figures of a variant's rungs their intervals: Student's
// t on the logarithms of the repetitions, with the noise learnt from all rungs. Repetitions that
// change one after the other are of no steady state, and have a range.
func withIntervals(e *trust.Evidence, rungs []Rung, groups []trial.Group) []Rung {
	rungs = slices.Clone(rungs)
	works := func(t steadiness.Trend) bool { return t.Works }
	responds := func(t steadiness.Trend) bool { return t.Responds }
	for _, figure := range []struct {
		of      func(*Rung) *stats.Interval
		value   func(*result.Trial) float64
		changes func(steadiness.Trend) bool
	}{
		{func(r *Rung) *stats.Interval { return &r.Throughput }, trial.Throughput, works},
		{func(r *Rung) *stats.Interval { return &r.Payload }, trial.Payload, works},
		{func(r *Rung) *stats.Interval { return &r.Stonewalled }, trial.Stonewalled, works},
		{func(r *Rung) *stats.Interval { return &r.Without }, trial.Without, works},
		{func(r *Rung) *stats.Interval { return &r.Mean }, trial.Mean, responds},
		{func(r *Rung) *stats.Interval { return &r.P95 }, trial.P95, responds},
	} {
		logs := make([][]float64, len(groups))
		for i, g := range groups {
			logs[i] = stats.Logarithms(trial.Collect(g.Passed, figure.value))
		}
		for i, mean := range stats.Means(logs) {
			at := figure.of(&rungs[i])
			if figure.changes(trendOf(e, groups[i])) {
				*at = stats.Unsteady(at.Value, logs[i])
				continue
			}
			*at = stats.Relative(at.Value, mean, logs[i])
		}
	}
	profiles := make([]*timeprofile.Breakdown, len(rungs))
	for i := range rungs {
		profiles[i] = rungs[i].Time
	}
	for i, profile := range timeprofile.WithIntervals(profiles) {
		rungs[i].Time = profile
	}
	return rungs
}

// trendOf returns the trend over the repetitions of a rung; zero if they are steady.
func trendOf(e *trust.Evidence, g trial.Group) steadiness.Trend {
	if len(g.Passed) == 0 {
		return steadiness.Trend{}
	}
	return e.Trends[g.Passed[0].ID]
}

// CeilingOf is the median throughput of the drivers without the store; nil if no trial has
// it.
func CeilingOf(passed []*result.Trial, throughput float64) *Ceiling {
	own := stats.MedianOf(trial.Collect(passed, trial.Ceiling))
	if own <= 0 {
		return nil
	}
	return &Ceiling{
		Throughput: stats.Exactly(own), Payload: stats.MedianOf(trial.Collect(passed, trial.CeilingPayload)),
		CPU: stats.MedianOf(trial.Collect(passed, trial.CeilingCPU)), Used: stats.MedianOf(trial.Collect(passed, trial.DriverCPU)),
		Share: stats.Ratio(throughput, own),
	}
}

// Computed is for what share of their time users computed, and for what share at least they are
// to; both are 0 where nothing is asked of that.
func (r *Rung) Computed() (share, least float64) {
	for _, o := range r.Objectives {
		if o.Metric == study.Idle && !o.Unknown {
			return 1 - o.Value, 1 - o.Limit
		}
	}
	return 0, 0
}

// errorClasses counts the units of work that failed by what went wrong.
func errorClasses(passed []*result.Trial) map[string]int64 {
	var out map[string]int64
	for _, t := range passed {
		for class, n := range t.Whole().Errors {
			if out == nil {
				out = map[string]int64{}
			}
			out[class] += n
		}
	}
	return out
}

// Break is what besides the objectives keeps a rung from being kept.
type Break struct {
	// Failed is a trial that failed while users were at work; nil for none.
	Failed *result.Trial
	// Behind is by how much the rung fell behind its offered rate; nil where it did not.
	Behind *Shortfall
}

// Any reports whether something does.
func (b Break) Any() bool { return b.Failed != nil || b.Behind != nil }

// breakOf finds what besides the objectives breaks the rung. Where one of
// them is about the rate kept, it has said how much of it is enough.
func breakOf(e *trust.Evidence, objectives []study.Objective, g trial.Group) Break {
	for _, t := range g.Failed {
		if underLoad(t) {
			return Break{Failed: t}
		}
	}
	if slices.ContainsFunc(objectives, func(o study.Objective) bool { return o.Metric == study.Undone }) {
		return Break{}
	}
	return Break{Behind: shortfallOf(e, g.Passed)}
}

// underLoad reports whether a trial failed while users were at work or lost acknowledged
// work, rather than failing before it began or after it ended.
func underLoad(t *result.Trial) bool {
	if t.Audit != nil && !t.Audit.Passed {
		return true
	}
	return t.Failure != nil && (t.Failure.Stage == result.StageDrive || t.Failure.Stage == result.StageRecover || t.Failure.Stage == result.StageHeal || t.Failure.Stage == result.StageAudit)
}

// keepsAll reports whether the rung keeps every objective. A trial that failed under
// load, or lost something, breaks the rung, whatever the others did: a server that
// gives up in one of three runs carries nothing. Of trials that failed before
// that or after, the majority decides.
func keepsAll(g trial.Group, r Rung) bool {
	if len(g.Passed) <= len(g.Failed) || r.Break.Any() {
		return false
	}
	for _, o := range r.Objectives {
		if !o.Kept {
			return false
		}
	}
	return true
}

// operationsOf pools each operation over the repetitions.
func operationsOf(passed []*result.Trial) map[string]OperationStats {
	out := map[string]OperationStats{}
	for _, name := range OperationNames(passed) {
		out[name] = operationStats(name, passed)
	}
	return out
}

// OperationNames lists what any of the trials reported.
func OperationNames(trials []*result.Trial) []string {
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
	var rates, perMinute, means []float64
	for _, t := range passed {
		o, ok := t.Operations[name]
		if !ok {
			continue
		}
		summaries = append(summaries, o)
		rates = append(rates, stats.Ratio(float64(o.Count), trial.Seconds(t)))
		perMinute = append(perMinute, stats.Ratio(float64(o.Count)*60, trial.Seconds(t))) // of counts, to be exact in tables
		means = append(means, o.Mean)
		s.Errors += trial.Failures(o)
	}
	s.PerSecond = stats.MedianOf(rates)
	s.PerMinute = stats.MedianOf(perMinute)
	s.Mean = stats.MedianOf(means)
	s.Percentile, s.Pooled = pooledPercentiles(summaries)
	s.Corrected = corrected(summaries)
	return s
}

// corrected is what percentiles and the mean of the repetitions come to with what
// stalls hid; nil where there were none.
func corrected(repetitions []result.OperationSummary) map[string]float64 {
	if !slices.ContainsFunc(repetitions, func(o result.OperationSummary) bool { return o.Corrected != nil }) {
		return nil
	}
	judged := make([]result.OperationSummary, len(repetitions))
	means := make([]float64, len(repetitions))
	for i, o := range repetitions {
		judged[i] = o.Judged()
		means[i] = judged[i].Mean
	}
	out, _ := pooledPercentiles(judged)
	out["mean"] = stats.MedianOf(means)
	return out
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
	f := &Fairness{Instances: make([]float64, 0, len(sums)), Uneven: LeastEvenTrial(passed)}
	var sum, squares float64
	for _, instance := range slices.Sorted(maps.Keys(sums)) { // a sum depends on its order in the last digit
		v := sums[instance] / counts[instance]
		f.Instances = append(f.Instances, v)
		sum += v
		squares += v * v
	}
	sort.Float64s(f.Instances)
	f.Jain = stats.Ratio(sum*sum, float64(len(f.Instances))*squares)
	return f
}

// WithEfficiency divides each rung's throughput per instance by that at the smallest rung
// that has any: 1 is linear.
func WithEfficiency(rungs []Rung) []Rung {
	rungs = slices.Clone(rungs)
	base := 0.0
	for i := range rungs {
		each := stats.Ratio(rungs[i].Throughput.Value, float64(rungs[i].Worked()))
		if base == 0 {
			base = each
		}
		rungs[i].Efficiency = stats.Ratio(each, base)
	}
	return rungs
}

// reasonsOf are the known reasons of failed trials, each once.
func reasonsOf(failed []*result.Trial) (all []string) {
	for _, t := range failed {
		if t.Failure != nil && t.Failure.Reason != "" && !slices.Contains(all, t.Failure.Reason) {
			all = append(all, t.Failure.Reason)
		}
	}
	return all
}
