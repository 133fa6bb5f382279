package compare

import (
	"sort"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/parallel"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// variantPair is one variant as both sides measured it.
type variantPair struct {
	name         string // "" where each side has only one
	a, b         []*result.Trial
	rungsA       []rung.Rung
	rungsB       []rung.Rung
	lineA, lineB loadline.LoadLine
}

// pair is one rung that both sides measured.
type pair struct {
	variant          string // "" where each side has only one
	instances        int
	a, b             []*result.Trial // that passed
	rungA, rungB     *rung.Rung
	failedA, failedB int
}

// variantPairs matches the variants of the two sides by name, or the one chosen
// variant of each.
func variantPairs(a, b Side, ea, eb *trust.Evidence) []variantPair {
	va, vb := a.trialsByVariant(ea), b.trialsByVariant(eb)
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
	parallel.Do(len(out), func(i int) {
		v := &out[i]
		v.rungsA, v.lineA = analysis.Ladder(ea, v.a, setup.Noun(ea))
		v.rungsB, v.lineB = analysis.Ladder(eb, v.b, setup.Noun(eb))
	})
	return out
}

func (s Side) trialsByVariant(of *trust.Evidence) map[string][]*result.Trial {
	out := map[string][]*result.Trial{}
	for _, t := range of.Run.Trials {
		if s.Variant == "" || t.Variant.Name == s.Variant {
			out[t.Variant.Name] = append(out[t.Variant.Name], t)
		}
	}
	return out
}

// pairs matches the rungs of a variant.
func (v *variantPair) pairs() []pair {
	byCount := map[int]trial.Group{}
	for _, g := range trial.ByRung(v.b) {
		byCount[g.Instances] = g
	}
	var out []pair
	for _, g := range trial.ByRung(v.a) {
		other := byCount[g.Instances]
		if len(g.Passed) == 0 || len(other.Passed) == 0 {
			continue
		}
		out = append(out, pair{
			variant: v.name, instances: g.Instances, a: g.Passed, b: other.Passed,
			rungA: rung.Find(v.rungsA, g.Instances), rungB: rung.Find(v.rungsB, g.Instances),
			failedA: len(g.Failed), failedB: len(other.Failed),
		})
	}
	return out
}

// pairsOf holds all trials of each variant of both sides against each other.
func pairsOf(variants []variantPair) []pair {
	out := make([]pair, len(variants))
	for i, v := range variants {
		out[i] = pair{variant: v.name, a: v.a, b: v.b}
	}
	return out
}

// commonOperations lists the unit of work first, then the rest that both sides
// have.
func commonOperations(all []pair) []string {
	var ta, tb []*result.Trial
	for _, p := range all {
		ta, tb = append(ta, p.a...), append(tb, p.b...)
	}
	inB := map[string]bool{}
	for _, name := range rung.OperationNames(tb) {
		inB[name] = true
	}
	names := []string{}
	for _, name := range rung.OperationNames(ta) {
		if inB[name] {
			names = append(names, name)
		}
	}
	whole := all[0].a[0].Profile.Whole()
	sort.SliceStable(names, func(i, j int) bool { return names[i] == whole && names[j] != whole })
	return names
}

// valuesOf are the trials' values of a metric, those that have it.
func valuesOf(trials []*result.Trial, operation, metric string) []float64 {
	var out []float64
	for _, t := range trials {
		if v, ok := valueOf(t, operation, metric); ok {
			out = append(out, v)
		}
	}
	return out
}

// valueOf is a metric of one trial. Errors may be 0, all else is above it.
func valueOf(t *result.Trial, operation, metric string) (float64, bool) {
	switch metric {
	case "throughput":
		v := trial.Throughput(t)
		return v, v > 0
	case "errors":
		return trial.ErrorShare(t), true
	}
	o, ok := t.Operations[operation]
	v := o.Mean
	if metric != "mean" {
		v, ok = trial.Percentiles(o)[metric]
	}
	return v, ok && stats.IsFinite(v) && v > 0
}
