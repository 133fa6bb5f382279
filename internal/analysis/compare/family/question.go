package family

import (
	"slices"
	"sort"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Question is one part of the verdict: the metric of one variant over all common rungs.
type Question struct {
	Variant   string `json:"variant,omitempty"` // empty where each side has one
	Operation string `json:"operation"`         // as the workload reports it
	Metric    string `json:"metric"`            // throughput, mean, p95, errors, ...
	Rungs     int    `json:"rungs"`             // how many both sides measured
	// Change is the mean change over the rungs, with its interval.
	Change stats.Interval `json:"change"`
	// P is the p-value of the mean change, adjusted for all tests of the verdict.
	P float64 `json:"p"`
	// VisibleOverall and VisibleAtOneRung are the smallest changes that these
	// trials show with a probability of 80 %, if all rungs change alike or one
	// alone does; null without repetitions.
	VisibleOverall   *float64 `json:"visible_overall"`
	VisibleAtOneRung *float64 `json:"visible_at_one_rung"`
	// Verdict of the mean change and of each rung: worse if any is worse, else
	// better if any is better.
	Verdict Verdict `json:"verdict"`
	// Shown are the rungs that differ by themselves.
	Shown []int `json:"shown,omitempty"`
}

// visible is a smallest visible change, or nil if there is none.
func visible(v float64) *float64 {
	if !stats.IsFinite(v) {
		return nil
	}
	return &v
}

// Power is the probability with which a visible change is found.
const Power = 0.8

// Primary are the metrics that the verdict rests on: throughput and the response
// time that the first objective names. In the open loop the throughput is given,
// so that the response time comes first.
func Primary(e *trust.Evidence) []string {
	response := "mean"
	for _, o := range e.Study.Objectives {
		if trial.IsWhole(trial.ProfileOf(e.Run.Trials), o.Operation) && slices.Contains(comparedTimes, o.Metric) {
			response = o.Metric
			break
		}
	}
	if e.Any((*result.Trial).Scheduled) {
		return []string{response, "throughput", "errors"}
	}
	return []string{"throughput", response, "errors"}
}

// besideShare is the part of the level that the metrics have on which the verdict
// does not rest.
const besideShare = 0.2

// Ask answers the questions. All their tests share one level. Half of a metric's part goes
// to the means over the rungs, which detect a small change everywhere, and half to the
// single rungs, which detect a large change at one. Errors are asked about if there were
// any. All other metrics of all rungs share the rest (see besideShare).
func Ask(families []*Family, primary []string, alpha float64) (all []Question) {
	var asked []*Family
	for _, metric := range primary {
		for _, f := range families {
			if f.Whole && f.Metric == metric && (metric != "errors" || f.anyErrors()) {
				asked = append(asked, f)
			}
		}
	}
	for _, f := range asked {
		f.Tests = float64(len(f.Rungs)) * f.half(len(asked))
		all = append(all, f.questions(len(asked), alpha)...)
	}
	return all
}

// questions are one for each variant. among is how many metrics share the level.
func (f *Family) questions(among int, alpha float64) []Question {
	names, rungs := f.Variants()
	half := f.half(among)
	var out []Question
	for _, name := range names {
		mean := f.Contrast.Mean(rungs[name])
		q := Question{
			Variant: name, Operation: f.Operation, Metric: f.Metric, Rungs: len(rungs[name]),
			Change: f.Change(mean, 1-alpha), P: f.p(mean, half*float64(len(names))), Verdict: Untested,
		}
		if mean.Known() {
			q.Verdict = NoDifference
			q.VisibleOverall = visible(f.visible(mean.Visible(alpha/(half*float64(len(names))), Power)))
			q.VisibleAtOneRung = visible(f.visibleAtOneRung(rungs[name], alpha/(half*float64(len(f.Rungs)))))
		}
		if q.P <= alpha {
			q.Verdict = Direction(f.Metric, mean.Value)
		}
		f.addRungs(&q, rungs[name], alpha)
		out = append(out, q)
	}
	return out
}

// half is by how much the level is divided for the means, and for the rungs.
func (f *Family) half(among int) float64 {
	part := float64(among) / (1 - besideShare)
	if len(f.Rungs) == 1 {
		return part // with one rung, the mean over the rungs is the rung's own
	}
	return 2 * part
}

func (f *Family) visibleAtOneRung(rungs []int, level float64) float64 {
	most := 0.0
	for _, i := range rungs {
		most = max(most, f.visible(f.Contrast.Each[i].Visible(level, Power)))
	}
	return most
}

// addRungs adds the rungs that differ by themselves.
func (f *Family) addRungs(q *Question, rungs []int, alpha float64) {
	for _, i := range rungs {
		e := f.Contrast.Each[i]
		if f.p(e, f.Tests) > alpha {
			continue
		}
		q.Shown = append(q.Shown, f.Rungs[i].Pair.Instances)
		if v := Direction(f.Metric, e.Value); q.Verdict != Worse {
			q.Verdict = v
		}
	}
}

// Direction tells better from worse: more throughput is better, more of
// anything else is worse.
func Direction(metric string, change float64) Verdict {
	if (change > 0) == (metric == "throughput") {
		return Better
	}
	return Worse
}

// Difference is one metric of one rung.
type Difference struct {
	Variant   string `json:"variant,omitempty"` // empty where each side has one
	Instances int    `json:"instances"`         // the rung
	Operation string `json:"operation"`         // as the workload reports it
	Metric    string `json:"metric"`            // throughput, mean, p50, p90, p95, p99, p99.9, errors
	// A and B are the figures of the report: medians over the repetitions, and
	// percentiles of the merged histograms.
	A stats.Interval `json:"a"`
	B stats.Interval `json:"b"`
	// Change is the ratio of the geometric means of the repetitions less 1, with
	// the interval of Student's t; for errors, the difference of the shares.
	Change stats.Interval `json:"change"`
	// P is adjusted for the number of tests that share its level.
	P       float64 `json:"p"`
	NA      int     `json:"n_a"`     // repetitions of A
	NB      int     `json:"n_b"`     // repetitions of B
	Verdict Verdict `json:"verdict"` // of this metric at this rung alone
}

// Differences lists every metric of every rung. Of so many some differ by
// chance, so all those that the verdict does not rest on share a part of the level.
func Differences(families []*Family, alpha float64) []Difference {
	beside := 0
	for _, f := range families {
		if f.Tests == 0 {
			beside += len(f.Rungs)
		}
	}
	var out []Difference
	for _, f := range families {
		if f.Tests == 0 {
			f.Tests = float64(beside) / besideShare
		}
		for i := range f.Rungs {
			out = append(out, f.Difference(i, alpha))
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Variant != out[j].Variant {
			return out[i].Variant < out[j].Variant
		}
		return out[i].Instances < out[j].Instances
	})
	return out
}

// Difference judges the change at a rung; alpha is the level of the test.
func (f *Family) Difference(i int, alpha float64) Difference {
	r, e := f.Rungs[i], f.Contrast.Each[i]
	d := Difference{
		Variant: r.Pair.Variant, Instances: r.Pair.Instances, Operation: f.Operation, Metric: f.Metric,
		A: r.A, B: r.B, Change: f.Change(e, stats.Confidence), P: f.p(e, f.Tests), NA: r.NA, NB: r.NB, Verdict: NoDifference,
	}
	switch {
	case !e.Known():
		d.Verdict = Untested
	case d.P <= alpha:
		d.Verdict = Direction(f.Metric, e.Value)
	}
	return d
}
