package sides

import (
	"sort"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Variant is one variant as both sides measured it.
type Variant struct {
	Name         string // "" where each side has only one
	A, B         []*result.Trial
	RungsA       []rung.Rung
	RungsB       []rung.Rung
	LineA, LineB loadline.LoadLine
}

// Pair is one rung that both sides measured.
type Pair struct {
	Variant          string // "" where each side has only one
	Instances        int
	A, B             []*result.Trial // that passed
	RungA, RungB     *rung.Rung
	FailedA, FailedB int
}

// Variants matches the variants of the two sides by name, or the one chosen
// variant of each.
func Variants(a, b Side, ea, eb *trust.Evidence) []Variant {
	va, vb := a.trialsByVariant(ea), b.trialsByVariant(eb)
	var out []Variant
	if len(va) == 1 && len(vb) == 1 {
		out = []Variant{{A: va[stats.SortedKeys(va)[0]], B: vb[stats.SortedKeys(vb)[0]]}}
	} else {
		for _, name := range stats.SortedKeys(va) {
			if len(vb[name]) > 0 {
				out = append(out, Variant{Name: name, A: va[name], B: vb[name]})
			}
		}
	}
	caught.Each(len(out), func(i int) {
		v := &out[i]
		v.RungsA, v.LineA = analysis.Ladder(ea, v.A, setup.Noun(ea))
		v.RungsB, v.LineB = analysis.Ladder(eb, v.B, setup.Noun(eb))
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

// Pairs matches the rungs of a variant.
func (v *Variant) Pairs() []Pair {
	byCount := map[int]trial.Group{}
	for _, g := range trial.ByRung(v.B) {
		byCount[g.Instances] = g
	}
	var out []Pair
	for _, g := range trial.ByRung(v.A) {
		other := byCount[g.Instances]
		if len(g.Passed) == 0 || len(other.Passed) == 0 {
			continue
		}
		out = append(out, Pair{
			Variant: v.Name, Instances: g.Instances, A: g.Passed, B: other.Passed,
			RungA: rung.Find(v.RungsA, g.Instances), RungB: rung.Find(v.RungsB, g.Instances),
			FailedA: len(g.Failed), FailedB: len(other.Failed),
		})
	}
	return out
}

// Whole holds all trials of each variant of both sides against each other.
func Whole(variants []Variant) []Pair {
	out := make([]Pair, len(variants))
	for i, v := range variants {
		out[i] = Pair{Variant: v.Name, A: v.A, B: v.B}
	}
	return out
}

// Operations lists the unit of work first, then the rest that both sides
// have.
func Operations(all []Pair) []string {
	var ta, tb []*result.Trial
	for _, p := range all {
		ta, tb = append(ta, p.A...), append(tb, p.B...)
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
	whole := all[0].A[0].Profile.Whole()
	sort.SliceStable(names, func(i, j int) bool { return names[i] == whole && names[j] != whole })
	return names
}

// Values are the trials' values of a metric, those that have it.
func Values(trials []*result.Trial, operation, metric string) []float64 {
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

// Matching pairs the variants of both sides: by name, the only ones of either, or else
// those whose factors of the same name have the same levels.
func (s Side) Matching(other Side, ea, eb *trust.Evidence) []Variant {
	if named := Variants(s, other, ea, eb); len(named) > 0 {
		return named
	}
	va, vb := s.trialsByVariant(ea), other.trialsByVariant(eb)
	var out []Variant
	for _, x := range stats.SortedKeys(va) {
		best, most := "", 0
		for _, y := range stats.SortedKeys(vb) {
			if n := sharedLevels(va[x][0].Variant.Factors, vb[y][0].Variant.Factors); n > most {
				best, most = y, n
			}
		}
		if best == "" {
			continue
		}
		v := Variant{Name: x, A: va[x], B: vb[best]}
		v.RungsA, v.LineA = analysis.Ladder(ea, v.A, setup.Noun(ea))
		v.RungsB, v.LineB = analysis.Ladder(eb, v.B, setup.Noun(eb))
		out = append(out, v)
	}
	return out
}

// sharedLevels counts the factors that both have at the same level; 0 where one differs.
// Paths are compared by their ends: workload.parameters.operation is operation.
func sharedLevels(a, b map[string]string) (n int) {
	for path, level := range a {
		for other, theirs := range b {
			switch {
			case study.Leaf(path) != study.Leaf(other):
			case !strings.EqualFold(level, theirs):
				return 0
			default:
				n++
			}
		}
	}
	return n
}
