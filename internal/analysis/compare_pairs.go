package analysis

import (
	"sort"

	"plimsoll/internal/result"
)

// pair is one rung that both sides measured.
type pair struct {
	variant   string // "" where each side has only one
	instances int
	a, b      []*result.Trial
}

// pairs matches the rungs of the two sides: variant by variant where names
// agree, or the one chosen variant of each.
func pairs(a, b Side) []pair {
	va, vb := trialsByVariant(a), trialsByVariant(b)
	var out []pair
	if len(va) == 1 && len(vb) == 1 {
		for _, ta := range va {
			for _, tb := range vb {
				out = append(out, pairRungs("", ta, tb)...)
			}
		}
		return out
	}
	for _, name := range sortedKeys(va) {
		out = append(out, pairRungs(name, va[name], vb[name])...)
	}
	return out
}

// trialsByVariant are a side's passed trials.
func trialsByVariant(s Side) map[string][]*result.Trial {
	out := map[string][]*result.Trial{}
	trials, _ := soundTrials(s.Run.Trials)
	for _, t := range trials {
		if t.Status == result.Passed && (s.Variant == "" || t.Variant.Name == s.Variant) {
			out[t.Variant.Name] = append(out[t.Variant.Name], t)
		}
	}
	return out
}

func pairRungs(variant string, a, b []*result.Trial) []pair {
	byCount := map[int][]*result.Trial{}
	for _, g := range groupByRung(b) {
		byCount[g.instances] = g.passed
	}
	var out []pair
	for _, g := range groupByRung(a) {
		if len(g.passed) > 0 && len(byCount[g.instances]) > 0 {
			out = append(out, pair{variant: variant, instances: g.instances, a: g.passed, b: byCount[g.instances]})
		}
	}
	return out
}

// differences compares the throughput, the errors and every time of every
// operation of one rung.
func differences(p pair, sa, sb *subject, alpha float64) []Difference {
	out := []Difference{
		compareValues(p, "order", "throughput", collect(p.a, sa.unit.throughput), collect(p.b, sb.unit.throughput), alpha),
	}
	if !published(p.a[0]) && !published(p.b[0]) { // published figures do not tell of errors
		out = append(out, compareValues(p, "order", "errors", collect(p.a, errorShare), collect(p.b, errorShare), alpha))
	}
	for _, operation := range commonOperations(p) {
		for _, metric := range []string{"mean", "p50", "p90", "p95", "p99", "p99.9"} {
			a, b := valuesOf(p.a, operation, metric), valuesOf(p.b, operation, metric)
			if len(a) > 0 && len(b) > 0 {
				out = append(out, compareValues(p, operation, metric, a, b, alpha))
			}
		}
	}
	return out
}

func errorShare(t *result.Trial) float64 {
	o := t.Operations["order"]
	n := sumErrors(o.Errors)
	return ratio(float64(n), float64(o.Count+o.RolledBack+n))
}

// commonOperations lists "order" first, then the rest that both sides have.
func commonOperations(p pair) []string {
	inB := map[string]bool{}
	for _, name := range operationNames(p.b) {
		inB[name] = true
	}
	names := []string{}
	for _, name := range operationNames(p.a) {
		if inB[name] {
			names = append(names, name)
		}
	}
	sort.SliceStable(names, func(i, j int) bool { return names[i] == "order" && names[j] != "order" })
	return names
}

// valuesOf are the trials' values of a metric, those that have it.
func valuesOf(trials []*result.Trial, operation, metric string) []float64 {
	var out []float64
	for _, t := range trials {
		s, ok := t.Operations[operation]
		if !ok {
			continue
		}
		v := s.Mean
		if metric != "mean" {
			v, ok = summaryPercentiles(s)[metric]
		}
		if ok && isFinite(v) && v > 0 {
			out = append(out, v)
		}
	}
	return out
}
