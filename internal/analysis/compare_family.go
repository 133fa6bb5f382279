package analysis

import (
	"math"

	"plimsoll/internal/analysis/repetition"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// family is one metric of one operation at all common rungs.
type family struct {
	operation, metric string
	rungs             []familyRung
	contrast          repetition.Contrast
	// tests is how many tests share the level of one rung: those of the verdict
	// for its own metrics, all differences for the others.
	tests int
}

// familyRung is one rung with what the report shows of it.
type familyRung struct {
	pair pair
	a, b Interval
	// na and nb count the trials that have the metric.
	na, nb int
}

// comparedTimes are the metrics of response time that are compared.
var comparedTimes = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

// familiesOf compares the throughput, the errors and every time of every
// operation.
func familiesOf(all []pair, sa, sb *subject) []*family {
	metrics := []family{{operation: "order", metric: "throughput"}}
	if !published(all[0].a[0]) && !published(all[0].b[0]) { // published figures do not tell of errors
		metrics = append(metrics, family{operation: "order", metric: "errors"})
	}
	for _, operation := range commonOperations(all) {
		for _, metric := range comparedTimes {
			metrics = append(metrics, family{operation: operation, metric: metric})
		}
	}
	var out []*family
	for _, f := range metrics {
		for _, p := range all {
			f.add(p, sa, sb)
		}
		if len(f.rungs) > 0 {
			f.contrast = repetition.Compare(f.strata(sa, sb))
			out = append(out, &f)
		}
	}
	return out
}

func (f *family) add(p pair, sa, sb *subject) {
	na := len(valuesOf(sa, p.a, f.operation, f.metric))
	nb := len(valuesOf(sb, p.b, f.operation, f.metric))
	if na > 0 && nb > 0 {
		f.rungs = append(f.rungs, familyRung{p, f.reported(p.rungA), f.reported(p.rungB), na, nb})
	}
}

// reported is the figure of a rung as the report has it.
func (f *family) reported(r *Rung) Interval {
	switch {
	case f.metric == "throughput":
		return r.Throughput
	case f.metric == "errors":
		return exactly(r.Errors)
	case f.operation == "order" && f.metric == "mean":
		return r.Mean
	case f.operation == "order" && f.metric == "p95":
		return r.P95
	case f.metric == "mean":
		return exactly(r.Operations[f.operation].Mean)
	}
	return exactly(r.Operations[f.operation].Percentile[f.metric])
}

// strata are the values of the rungs, in logarithms except for errors.
func (f *family) strata(sa, sb *subject) []repetition.Stratum {
	out := make([]repetition.Stratum, len(f.rungs))
	for i, r := range f.rungs {
		a, b := valuesOf(sa, r.pair.a, f.operation, f.metric), valuesOf(sb, r.pair.b, f.operation, f.metric)
		if f.metric == "errors" {
			out[i] = repetition.Stratum{A: a, B: b, Floor: floorOfErrors(r.pair)}
			continue
		}
		out[i] = repetition.Stratum{A: stats.Logarithms(a), B: stats.Logarithms(b)}
	}
	return out
}

// floorOfErrors is the variance of a trial's share of errors if orders failed
// independently of each other; one error more or less must be allowed for.
func floorOfErrors(p pair) float64 {
	var errors, orders, trials float64
	for _, side := range [2][]*result.Trial{p.a, p.b} {
		for _, t := range side {
			o := t.Operations["order"]
			n := float64(sumErrors(o.Errors))
			errors, orders, trials = errors+n, orders+float64(o.Count+o.RolledBack)+n, trials+1
		}
	}
	share := (errors + 1) / max(orders, 1)
	return share / max(orders/trials, 1)
}

// change is an estimate as a relative change; for errors, as the difference of
// the shares.
func (f *family) change(e repetition.Estimate, level float64) Interval {
	relative := func(v float64) float64 { return math.Exp(v) - 1 }
	if f.metric == "errors" {
		relative = func(v float64) float64 { return v }
	}
	value := stats.Finite(relative(e.Value))
	if !e.Known() {
		return exactly(value)
	}
	low, high := e.Interval(level)
	return around(value, Interval{Low: relative(low), High: relative(high), Confidence: level})
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

// anyErrors says that an order failed on either side.
func (f *family) anyErrors() bool {
	for _, r := range f.rungs {
		if r.a.Value > 0 || r.b.Value > 0 {
			return true
		}
	}
	return false
}

// adjusted is a probability for one of n tests that share a level (Bonferroni).
func adjusted(p float64, n int) float64 { return min(1, p*float64(n)) }
