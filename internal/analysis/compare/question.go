package compare

import (
	"slices"
	"sort"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// Question is what the verdict rests on: the metric of one variant over all
// common rungs.
type Question struct {
	Variant   string `json:"variant,omitempty"` // empty where each side has one
	Operation string `json:"operation"`         // as the workload reports it
	Metric    string `json:"metric"`            // throughput, mean, p95, errors, ...
	Rungs     int    `json:"rungs"`             // how many both sides measured
	// Change is the mean change over the rungs, with its interval.
	Change interval.Interval `json:"change"`
	// P is that of the mean change, adjusted for all tests of the verdict.
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

// known is a smallest visible change, nil where there is none.
func known(v float64) *float64 {
	if !stats.IsFinite(v) {
		return nil
	}
	return &v
}

// power is the probability with which a visible change is found.
const power = 0.8

// primary are the metrics that the verdict rests on: throughput and the response
// time that the first objective names. In the open loop the throughput is given,
// so that the response time comes first.
func primary(e *trust.Evidence) []string {
	response := "mean"
	for _, o := range e.Study.Objectives {
		if trial.IsWhole(trial.ProfileOf(e.Run.Trials), o.Operation) && slices.Contains(comparedTimes, o.Metric) {
			response = o.Metric
			break
		}
	}
	if e.Any(func(t *result.Trial) bool { return t.OpenLoop || t.Variant.Load.Rate > 0 }) {
		return []string{response, "throughput", "errors"}
	}
	return []string{"throughput", response, "errors"}
}

// besideShare is the part of the level that the metrics have on which the verdict
// does not rest.
const besideShare = 0.2

// ask answers the questions. One level is shared by all of their tests: half of
// a metric's part goes to the means over the rungs, which find what changes all
// of them a little, and half to the single rungs, which find what changes one of
// them much. Errors are asked about where there was any. All other metrics of all
// rungs share what is left (see besideShare).
func (c *Comparison) ask(families []*family, primary []string) {
	var asked []*family
	for _, metric := range primary {
		for _, f := range families {
			if f.whole && f.metric == metric && (metric != "errors" || f.anyErrors()) {
				asked = append(asked, f)
			}
		}
	}
	for _, f := range asked {
		f.tests = float64(len(f.rungs)) * f.half(len(asked))
		c.Questions = append(c.Questions, f.questions(len(asked), c.Alpha)...)
	}
}

// questions are one for each variant. among is how many metrics share the level.
func (f *family) questions(among int, alpha float64) []Question {
	names, rungs := f.variants()
	half := f.half(among)
	var out []Question
	for _, name := range names {
		mean := f.contrast.Mean(rungs[name])
		q := Question{
			Variant: name, Operation: f.operation, Metric: f.metric, Rungs: len(rungs[name]),
			Change: f.change(mean, 1-alpha), P: f.p(mean, half*float64(len(names))), Verdict: Untested,
		}
		if mean.Known() {
			q.Verdict = NoDifference
			q.VisibleOverall = known(f.visible(mean.Visible(alpha/(half*float64(len(names))), power)))
			q.VisibleAtOneRung = known(f.visibleAtOneRung(rungs[name], alpha/(half*float64(len(f.rungs)))))
		}
		if q.P <= alpha {
			q.Verdict = Direction(f.metric, mean.Value)
		}
		f.addRungs(&q, rungs[name], alpha)
		out = append(out, q)
	}
	return out
}

// half is by how much the level is divided for the means, and for the rungs.
func (f *family) half(among int) float64 {
	part := float64(among) / (1 - besideShare)
	if len(f.rungs) == 1 {
		return part // the mean over the rungs is that of the one rung
	}
	return 2 * part
}

func (f *family) visibleAtOneRung(rungs []int, level float64) float64 {
	most := 0.0
	for _, i := range rungs {
		most = max(most, f.visible(f.contrast.Each[i].Visible(level, power)))
	}
	return most
}

// addRungs adds the rungs that differ by themselves.
func (f *family) addRungs(q *Question, rungs []int, alpha float64) {
	for _, i := range rungs {
		e := f.contrast.Each[i]
		if f.p(e, f.tests) > alpha {
			continue
		}
		q.Shown = append(q.Shown, f.rungs[i].pair.instances)
		if v := Direction(f.metric, e.Value); q.Verdict != Worse {
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
	A interval.Interval `json:"a"`
	B interval.Interval `json:"b"`
	// Change is the ratio of the geometric means of the repetitions less 1, with
	// the interval of Student's t; for errors, the difference of the shares.
	Change interval.Interval `json:"change"`
	// P is adjusted for the number of tests that share its level.
	P       float64 `json:"p"`
	NA      int     `json:"n_a"`     // repetitions of A
	NB      int     `json:"n_b"`     // repetitions of B
	Verdict Verdict `json:"verdict"` // of this metric at this rung alone
}

// differencesOf lists every metric of every rung. Of so many some differ by
// chance, so all those that the verdict does not rest on share a part of the level.
func differencesOf(families []*family, alpha float64) []Difference {
	beside := 0
	for _, f := range families {
		if f.tests == 0 {
			beside += len(f.rungs)
		}
	}
	var out []Difference
	for _, f := range families {
		if f.tests == 0 {
			f.tests = float64(beside) / besideShare
		}
		for i := range f.rungs {
			out = append(out, f.difference(i, alpha))
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

func (f *family) difference(i int, alpha float64) Difference {
	r, e := f.rungs[i], f.contrast.Each[i]
	d := Difference{
		Variant: r.pair.variant, Instances: r.pair.instances, Operation: f.operation, Metric: f.metric,
		A: r.a, B: r.b, Change: f.change(e, interval.Confidence), P: f.p(e, f.tests), NA: r.na, NB: r.nb, Verdict: NoDifference,
	}
	switch {
	case !e.Known():
		d.Verdict = Untested
	case d.P <= alpha:
		d.Verdict = Direction(f.metric, e.Value)
	}
	return d
}
