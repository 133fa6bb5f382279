package pairwise

import (
	"strings"

	"plimsoll/internal/analysis/model"
)

// Pairs hold the levels of each factor against its first.
func Pairs(a *model.Analysis) (all []model.Pair) {
	for _, f := range a.Factors {
		for i := range a.Variants {
			if from := &a.Variants[i]; from.Factors[f.Path] == f.Levels[0].Level {
				all = append(all, pairsFrom(a, f, from)...)
			}
		}
	}
	return all
}

func pairsFrom(a *model.Analysis, f model.Factor, from *model.Variant) (all []model.Pair) {
	for _, l := range f.Levels[1:] {
		if to := otherLevel(a, from, f.Path, l.Level); to != nil {
			all = append(all, pairOf(a, f, from, to)...)
		}
	}
	return all
}

// otherLevel is the variant that differs from v in one factor alone; nil for none.
func otherLevel(a *model.Analysis, v *model.Variant, path, level string) *model.Variant {
	for i := range a.Variants {
		other := &a.Variants[i]
		if other.Factors[path] == level && alikeBut(a, other, v, path) {
			return other
		}
	}
	return nil
}

// alikeBut reports whether two variants have the same levels of all factors but one.
func alikeBut(a *model.Analysis, x, y *model.Variant, path string) bool {
	for _, f := range a.Factors {
		if f.Path != path && x.Factors[f.Path] != y.Factors[f.Path] {
			return false
		}
	}
	return true
}

// pairOf is nil if the two have no rung in common, or different units.
func pairOf(a *model.Analysis, f model.Factor, from, to *model.Variant) []model.Pair {
	c := ContrastOf(a, from, to)
	at := c.decidingRung(from, to) // far beyond both load lines, a ratio tells of overload
	if at == 0 {
		return nil
	}
	ratio := c.At(at).Factor()
	return []model.Pair{{Factor: f.Path, From: from.Name, To: to.Name, Shared: LabelWithout(a, from, f.Path), At: at, Ratio: ratio}}
}

// LabelWithout names a variant's levels of the factors that vary, but for one.
func LabelWithout(a *model.Analysis, v *model.Variant, path string) string {
	return strings.Join(LevelsWithout(a, v, path), ", ")
}

// LevelsWithout are a variant's levels of the factors that vary, but for one, as labels.
func LevelsWithout(a *model.Analysis, v *model.Variant, path string) (parts []string) {
	for _, f := range a.Factors {
		if f.Path == path {
			continue
		}
		for _, l := range f.Levels {
			if l.Level == v.Factors[f.Path] {
				parts = append(parts, l.Label)
			}
		}
	}
	return parts
}
