// Package family tests whether the two sides of a comparison differ: one family of tests for
// each metric of each operation, over all rungs that both measured. It gives numbers.
package family

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// Family is one metric of one operation at all common rungs.
type Family struct {
	Operation, Metric string
	Whole             bool // the operation is the unit of work
	Rungs             []Rung
	Contrast          stats.Contrast
	// tests is how many tests share the level at one rung.
	Tests float64
}

// Rung is one rung with its results for the report.
type Rung struct {
	Pair sides.Pair
	A, B stats.Interval
	// na and nb count the trials that have the metric.
	NA, NB int
}

// comparedTimes are the metrics of response time that are compared.
var comparedTimes = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

// Group compares the throughput, the errors and every time of every
// operation.
func Group(all []sides.Pair) []*Family {
	if len(all) == 0 {
		return nil
	}
	profile := all[0].A[0].Profile
	whole := profile.Whole()
	metrics := []Family{{Operation: whole, Metric: "throughput", Whole: true}}
	if !trial.Published(all[0].A[0]) && !trial.Published(all[0].B[0]) { // published figures do not tell of errors
		metrics = append(metrics, Family{Operation: whole, Metric: "errors", Whole: true})
	}
	for _, operation := range sides.Operations(all) {
		times := comparedTimes
		if profile.Listed && operation != whole {
			times = times[:1] // an item that a user does once has no percentiles
		}
		for _, metric := range times {
			metrics = append(metrics, Family{Operation: operation, Metric: metric, Whole: operation == whole})
		}
	}
	var out []*Family
	for _, f := range metrics {
		for _, p := range all {
			f.add(p)
		}
		if len(f.Rungs) > 0 {
			f.Contrast = stats.Compare(f.strata())
			out = append(out, &f)
		}
	}
	return out
}

func (f *Family) add(p sides.Pair) {
	na := len(sides.Values(p.A, f.Operation, f.Metric))
	nb := len(sides.Values(p.B, f.Operation, f.Metric))
	if na > 0 && nb > 0 {
		f.Rungs = append(f.Rungs, Rung{p, f.reported(p.RungA), f.reported(p.RungB), na, nb})
	}
}

// reported is the figure of a rung as the report has it.
func (f *Family) reported(r *rung.Rung) stats.Interval {
	switch {
	case f.Metric == "throughput":
		return r.Throughput
	case f.Metric == "errors":
		return stats.Exactly(r.Errors)
	case f.Whole && f.Metric == "mean":
		return r.Mean
	case f.Whole && f.Metric == "p95":
		return r.P95
	case f.Metric == "mean":
		return stats.Exactly(r.Operations[f.Operation].Mean)
	}
	return stats.Exactly(r.Operations[f.Operation].Percentile[f.Metric])
}

// strata are the values of the rungs, in logarithms except for errors.
func (f *Family) strata() []stats.Stratum {
	out := make([]stats.Stratum, len(f.Rungs))
	for i, r := range f.Rungs {
		a, b := sides.Values(r.Pair.A, f.Operation, f.Metric), sides.Values(r.Pair.B, f.Operation, f.Metric)
		if f.Metric == "errors" {
			out[i] = stats.Stratum{A: a, B: b, Floor: floorOfErrors(r.Pair)}
			continue
		}
		out[i] = stats.Stratum{A: stats.Logarithms(a), B: stats.Logarithms(b), Floor: floorOfTimes}
		if f.Metric == "throughput" {
			out[i].Floor, out[i].Ceiling = floorOfThroughput(r.Pair), stats.ThroughputCeiling
		}
	}
	return out
}

// floorOfTimes is the variance that the resolution of the histograms, a
// thousandth, leaves in the logarithm of a time.
const floorOfTimes = 1e-6 / 12

// floorOfThroughput is the variance that counting whole units of work leaves.
func floorOfThroughput(p sides.Pair) float64 {
	least := math.Inf(1)
	for _, t := range slices.Concat(p.A, p.B) {
		least = min(least, float64(trial.Ended(t)))
	}
	return 1 / (12 * max(least, 1) * max(least, 1))
}

// floorOfErrors is the variance of a trial's share of errors if units of work
// failed independently of each other; one error more or less must be allowed for.
func floorOfErrors(p sides.Pair) float64 {
	var errors, units, trials float64
	for _, side := range [2][]*result.Trial{p.A, p.B} {
		for _, t := range side {
			errors, units, trials = errors+float64(trial.Failures(t.Whole())), units+float64(trial.Ended(t)), trials+1
		}
	}
	share := (errors + 1) / max(units, 1)
	return share / max(units/trials, 1)
}

// Change is an estimate as a relative change; for errors, as the difference of
// the shares.
func (f *Family) Change(e stats.Estimate, level float64) stats.Interval {
	if f.Metric != "errors" {
		return stats.RelativeChange(e, level)
	}
	if !e.Known() {
		return stats.Exactly(stats.Finite(e.Value))
	}
	low, high := e.Interval(level)
	return stats.Around(stats.Finite(e.Value), stats.Interval{Low: low, High: high, Confidence: level})
}

// Estimate is a relative change as the value of an estimate (see Change).
func (f *Family) Estimate(change float64) float64 {
	if f.Metric == "errors" {
		return change
	}
	return math.Log1p(max(change, -1+1e-9))
}

// Doubtful says at which rungs so many trials of B failed that the rest does not
// speak for it.
//
// Needs: A rung of which all trials of B failed, and fewer of A than were measured.
func (f *Family) Doubtful() (texts []string) {
	for _, r := range f.Rungs {
		if p := r.Pair; p.FailedB >= len(p.B) && p.FailedA < len(p.A) {
			texts = append(texts, say.F("at %d %d of %d trials of B failed, and %d of %d of A", p.Instances, p.FailedB, p.FailedB+len(p.B), p.FailedA, p.FailedA+len(p.A)))
		}
	}
	return texts
}

// visible is a smallest visible difference as a relative change.
func (f *Family) visible(v float64) float64 {
	if f.Metric == "errors" {
		return v
	}
	return math.Exp(v) - 1
}

// Variants lists the indices of the rungs of each variant.
func (f *Family) Variants() (names []string, rungs map[string][]int) {
	rungs = map[string][]int{}
	for i, r := range f.Rungs {
		if _, seen := rungs[r.Pair.Variant]; !seen {
			names = append(names, r.Pair.Variant)
		}
		rungs[r.Pair.Variant] = append(rungs[r.Pair.Variant], i)
	}
	return names, rungs
}

// anyErrors reports whether something failed on either side.
func (f *Family) anyErrors() bool {
	for _, r := range f.Rungs {
		if r.A.Value > 0 || r.B.Value > 0 {
			return true
		}
	}
	return false
}

// p is the probability of a change this large by chance, for one of so many tests that
// share a level (Bonferroni). It is 1 for a change below leastChange.
func (f *Family) p(e stats.Estimate, tests float64) float64 {
	if f.Metric != "errors" && math.Abs(math.Expm1(e.Value)) < leastChange {
		return 1
	}
	return min(1, e.P()*tests)
}

// leastChange is the smallest relative change that is called one.
const leastChange = 0.001
