package analysis

import (
	"sort"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
)

// variantPair is one variant as both sides measured it.
type variantPair struct {
	name         string // "" where each side has only one
	a, b         []*result.Trial
	rungsA       []Rung
	rungsB       []Rung
	lineA, lineB LoadLine
}

// pair is one rung that both sides measured.
type pair struct {
	variant          string // "" where each side has only one
	instances        int
	a, b             []*result.Trial // that passed
	rungA, rungB     *Rung
	failedA, failedB int
}

// variantPairs matches the variants of the two sides by name, or the one chosen
// variant of each.
func variantPairs(a, b Side, sa, sb *subject) []variantPair {
	va, vb := a.trialsByVariant(sa), b.trialsByVariant(sb)
	var out []variantPair
	if len(va) == 1 && len(vb) == 1 {
		out = []variantPair{{a: va[stats.SortedKeys(va)[0]], b: vb[stats.SortedKeys(vb)[0]]}}
	} else {
		for _, name := range stats.SortedKeys(va) {
			if len(vb[name]) > 0 {
				out = append(out, variantPair{name: name, a: va[name], b: vb[name]})
			}
		}
	}
	parallel(len(out), func(i int) {
		v := &out[i]
		v.rungsA, v.lineA = sa.ladder(v.a)
		v.rungsB, v.lineB = sb.ladder(v.b)
	})
	return out
}

func (s Side) trialsByVariant(of *subject) map[string][]*result.Trial {
	out := map[string][]*result.Trial{}
	for _, t := range of.run.Trials {
		if s.Variant == "" || t.Variant.Name == s.Variant {
			out[t.Variant.Name] = append(out[t.Variant.Name], t)
		}
	}
	return out
}

// pairs matches the rungs of a variant.
func (v *variantPair) pairs() []pair {
	byCount := map[int]trialGroup{}
	for _, g := range groupByRung(v.b) {
		byCount[g.instances] = g
	}
	var out []pair
	for _, g := range groupByRung(v.a) {
		other := byCount[g.instances]
		if len(g.passed) == 0 || len(other.passed) == 0 {
			continue
		}
		out = append(out, pair{
			variant: v.name, instances: g.instances, a: g.passed, b: other.passed,
			rungA: findRung(v.rungsA, g.instances), rungB: findRung(v.rungsB, g.instances),
			failedA: len(g.failed), failedB: len(other.failed),
		})
	}
	return out
}

// commonOperations lists "order" first, then the rest that both sides have.
func commonOperations(all []pair) []string {
	var ta, tb []*result.Trial
	for _, p := range all {
		ta, tb = append(ta, p.a...), append(tb, p.b...)
	}
	inB := map[string]bool{}
	for _, name := range operationNames(tb) {
		inB[name] = true
	}
	names := []string{}
	for _, name := range operationNames(ta) {
		if inB[name] {
			names = append(names, name)
		}
	}
	sort.SliceStable(names, func(i, j int) bool { return names[i] == "order" && names[j] != "order" })
	return names
}

// valuesOf are the trials' values of a metric, those that have it.
func valuesOf(s *subject, trials []*result.Trial, operation, metric string) []float64 {
	var out []float64
	for _, t := range trials {
		if v, ok := s.valueOf(t, operation, metric); ok {
			out = append(out, v)
		}
	}
	return out
}

// valueOf is a metric of one trial. Errors may be 0, all else is above it.
func (s *subject) valueOf(t *result.Trial, operation, metric string) (float64, bool) {
	switch metric {
	case "throughput":
		v := s.unit.throughput(t)
		return v, v > 0
	case "errors":
		return errorShare(t), true
	}
	o, ok := t.Operations[operation]
	v := o.Mean
	if metric != "mean" {
		v, ok = summaryPercentiles(o)[metric]
	}
	return v, ok && stats.IsFinite(v) && v > 0
}

func errorShare(t *result.Trial) float64 {
	o := t.Operations["order"]
	n := sumErrors(o.Errors)
	return stats.Ratio(float64(n), float64(o.Count+o.RolledBack+n))
}
