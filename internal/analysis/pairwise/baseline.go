package pairwise

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// Fraction takes the baseline's fastest variant that does the same; nil for none.
func Fraction(a *model.Analysis, v *model.Variant, baseline *model.Analysis) (best *model.Fraction) {
	for i := range baseline.Variants {
		b := &baseline.Variants[i]
		if b.Best == nil || !sameWork(v, b) {
			continue
		}
		f := model.Fraction{Run: baseline.Study.Name, Variant: b.Label, Unit: v.Work.Unit.Throughput, Throughput: b.Best.Throughput.Value}
		ours := v.Best.Throughput.Value
		if v.Work.Unit != b.Work.Unit {
			f.Unit, f.Throughput, ours = "MB/s", b.Payload(rung.Find(b.Rungs, b.Best.Rung)), v.Payload(rung.Find(v.Rungs, v.Best.Rung))
		}
		f.Share = stats.Ratio(ours, f.Throughput)
		f.Shares = sharesOf(a, v, baseline, b, f.Share)
		f.Differs = differing(v, b)
		if f.Share > 0 && (best == nil || f.Throughput > best.Throughput) {
			best = &f
		}
	}
	return best
}

// sharesOf is the interval of a fraction, by the repetitions of both sides at their best
// rungs.
func sharesOf(a *model.Analysis, v *model.Variant, baseline *model.Analysis, b *model.Variant, share float64) stats.Interval {
	inBytes := v.Work.Unit != b.Work.Unit
	x, y := bestLogarithms(baseline, b, inBytes), bestLogarithms(a, v, inBytes)
	if len(x) == 0 || len(y) == 0 {
		return stats.Exactly(share)
	}
	c := Contrast{all: stats.Compare([]stats.Stratum{{A: x, B: y, Ceiling: stats.ThroughputCeiling}}), Rungs: []int{0}, Family: len(a.Variants)}
	change := c.At(0)
	if !change.Bounded() {
		return stats.Exactly(share)
	}
	relative := stats.Ratio(share, 1+change.Value) // of other units, and the report has medians
	return stats.Around(share, stats.Interval{Low: (1 + change.Low) * relative, High: (1 + change.High) * relative, Confidence: change.Confidence})
}

// bestLogarithms are the logarithms of a variant's throughput in the trials of its best
// rung, but for a constant if units are in bytes.
func bestLogarithms(a *model.Analysis, v *model.Variant, inBytes bool) []float64 {
	if inBytes && !v.Work.Unit.Bytes {
		return logarithmsAt(a, v.Name, v.Best.Rung, func(t model.TrialInfo) float64 { return t.Payload })
	}
	return throughputsAt(a, v.Name, v.Best.Rung)
}

// differing lists the sizes and counts that both runs know, and that differ between them.
func differing(v, b *model.Variant) (all []model.Differing) {
	for _, name := range parameterNames(v, b) {
		x, y := v.Figure(name), b.Figure(name)
		if x != "" && y != "" && x != y {
			all = append(all, model.Differing{Name: name, Here: x, There: y})
		}
	}
	return all
}

// parameterNames are the parameters of either workload, and those varied by the matrices.
func parameterNames(variants ...*model.Variant) []string {
	seen := map[string]bool{}
	for _, v := range variants {
		for path := range v.Factors {
			seen[model.ParameterOf(path)] = true
		}
		for name := range model.ParametersOf(v.Parameters) {
			seen[name] = true
		}
	}
	delete(seen, "")
	return stats.SortedKeys(seen)
}

// sameWork reports whether two variants, of different studies, do not differ in a
// parameter whose levels are words, such as the operation. Numbers, such as the
// size of files, may differ: a baseline is not measured at each of them.
func sameWork(v, b *model.Variant) bool {
	for path := range v.Factors {
		if differs(v, b, model.ParameterOf(path)) {
			return false
		}
	}
	for path := range b.Factors {
		if differs(v, b, model.ParameterOf(path)) {
			return false
		}
	}
	return true
}

func differs(v, b *model.Variant, parameter string) bool {
	x, y := v.Parameter(parameter), b.Parameter(parameter)
	if x == "" || y == "" {
		return false
	}
	_, _, number := model.LevelValue(x)
	return !number && x != y
}
