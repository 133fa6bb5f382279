package compare

import (
	"fmt"
	"math"
	"slices"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/repetition"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// family is one metric of one operation at all common rungs.
type family struct {
	operation, metric string
	whole             bool // the operation is the unit of work
	rungs             []familyRung
	contrast          repetition.Contrast
	// tests is how many tests share the level with that of one rung.
	tests float64
}

// familyRung is one rung with what the report shows of it.
type familyRung struct {
	pair pair
	a, b interval.Interval
	// na and nb count the trials that have the metric.
	na, nb int
}

// comparedTimes are the metrics of response time that are compared.
var comparedTimes = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

// familiesOf compares the throughput, the errors and every time of every
// operation.
func familiesOf(all []pair) []*family {
	if len(all) == 0 {
		return nil
	}
	whole := all[0].a[0].Profile.Whole()
	metrics := []family{{operation: whole, metric: "throughput", whole: true}}
	if !trial.Published(all[0].a[0]) && !trial.Published(all[0].b[0]) { // published figures do not tell of errors
		metrics = append(metrics, family{operation: whole, metric: "errors", whole: true})
	}
	for _, operation := range commonOperations(all) {
		for _, metric := range comparedTimes {
			metrics = append(metrics, family{operation: operation, metric: metric, whole: operation == whole})
		}
	}
	var out []*family
	for _, f := range metrics {
		for _, p := range all {
			f.add(p)
		}
		if len(f.rungs) > 0 {
			f.contrast = repetition.Compare(f.strata())
			out = append(out, &f)
		}
	}
	return out
}

func (f *family) add(p pair) {
	na := len(valuesOf(p.a, f.operation, f.metric))
	nb := len(valuesOf(p.b, f.operation, f.metric))
	if na > 0 && nb > 0 {
		f.rungs = append(f.rungs, familyRung{p, f.reported(p.rungA), f.reported(p.rungB), na, nb})
	}
}

// reported is the figure of a rung as the report has it.
func (f *family) reported(r *rung.Rung) interval.Interval {
	switch {
	case f.metric == "throughput":
		return r.Throughput
	case f.metric == "errors":
		return interval.Exactly(r.Errors)
	case f.whole && f.metric == "mean":
		return r.Mean
	case f.whole && f.metric == "p95":
		return r.P95
	case f.metric == "mean":
		return interval.Exactly(r.Operations[f.operation].Mean)
	}
	return interval.Exactly(r.Operations[f.operation].Percentile[f.metric])
}

// strata are the values of the rungs, in logarithms except for errors.
func (f *family) strata() []repetition.Stratum {
	out := make([]repetition.Stratum, len(f.rungs))
	for i, r := range f.rungs {
		a, b := valuesOf(r.pair.a, f.operation, f.metric), valuesOf(r.pair.b, f.operation, f.metric)
		if f.metric == "errors" {
			out[i] = repetition.Stratum{A: a, B: b, Floor: floorOfErrors(r.pair)}
			continue
		}
		out[i] = repetition.Stratum{A: stats.Logarithms(a), B: stats.Logarithms(b), Floor: floorOfTimes}
		if f.metric == "throughput" {
			out[i].Floor, out[i].Ceiling = floorOfThroughput(r.pair), repetition.ThroughputCeiling
		}
	}
	return out
}

// floorOfTimes is the variance that the resolution of the histograms, a
// thousandth, leaves in the logarithm of a time.
const floorOfTimes = 1e-6 / 12

// floorOfThroughput is the variance that counting whole units of work leaves.
func floorOfThroughput(p pair) float64 {
	least := math.Inf(1)
	for _, t := range slices.Concat(p.a, p.b) {
		least = min(least, float64(trial.Ended(t)))
	}
	return 1 / (12 * max(least, 1) * max(least, 1))
}

// floorOfErrors is the variance of a trial's share of errors if units of work
// failed independently of each other; one error more or less must be allowed for.
func floorOfErrors(p pair) float64 {
	var errors, units, trials float64
	for _, side := range [2][]*result.Trial{p.a, p.b} {
		for _, t := range side {
			errors, units, trials = errors+float64(trial.Failures(t.Whole())), units+float64(trial.Ended(t)), trials+1
		}
	}
	share := (errors + 1) / max(units, 1)
	return share / max(units/trials, 1)
}

// change is an estimate as a relative change; for errors, as the difference of
// the shares.
func (f *family) change(e repetition.Estimate, level float64) interval.Interval {
	if f.metric != "errors" {
		return interval.RelativeChange(e, level)
	}
	if !e.Known() {
		return interval.Exactly(stats.Finite(e.Value))
	}
	low, high := e.Interval(level)
	return interval.Around(stats.Finite(e.Value), interval.Interval{Low: low, High: high, Confidence: level})
}

// estimate is a relative change as the value of an estimate (see change).
func (f *family) estimate(change float64) float64 {
	if f.metric == "errors" {
		return change
	}
	return math.Log1p(max(change, -1+1e-9))
}

// doubtful says at which rungs so many trials of B failed that the rest does not
// speak for it.
func (f *family) doubtful() (texts []string) {
	for _, r := range f.rungs {
		if p := r.pair; p.failedB >= len(p.b) && p.failedA < len(p.a) {
			texts = append(texts, fmt.Sprintf("at %d %d of %d trials of B failed, and %d of %d of A", p.instances, p.failedB, p.failedB+len(p.b), p.failedA, p.failedA+len(p.a)))
		}
	}
	return texts
}

// visible is a smallest visible difference as a relative change.
func (f *family) visible(v float64) float64 {
	if f.metric == "errors" {
		return v
	}
	return math.Exp(v) - 1
}

// variants lists the indices of the rungs of each variant.
func (f *family) variants() (names []string, rungs map[string][]int) {
	rungs = map[string][]int{}
	for i, r := range f.rungs {
		if _, seen := rungs[r.pair.variant]; !seen {
			names = append(names, r.pair.variant)
		}
		rungs[r.pair.variant] = append(rungs[r.pair.variant], i)
	}
	return names, rungs
}

// anyErrors says that something failed on either side.
func (f *family) anyErrors() bool {
	for _, r := range f.rungs {
		if r.a.Value > 0 || r.b.Value > 0 {
			return true
		}
	}
	return false
}

// p is the probability of a change this large by chance, for one of so many tests
// that share a level (Bonferroni). A change that no figure shows is none.
func (f *family) p(e repetition.Estimate, tests float64) float64 {
	if f.metric != "errors" && math.Abs(math.Expm1(e.Value)) < leastChange {
		return 1
	}
	return min(1, e.P()*tests)
}

// leastChange is the smallest relative change that is called one.
const leastChange = 0.001
