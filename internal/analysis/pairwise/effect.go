package pairwise

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// Raises hold each level of each factor with numbers for levels (CPUs, memory in bytes, queue
// depth) against the next, all else being equal. They share one level of confidence.
func Raises(a *model.Analysis) (all []LevelChange) {
	for _, path := range factorPaths(a.Variants) {
		for _, group := range alike(a.Variants, path) {
			all = append(all, raisesOf(a, path, group)...)
		}
	}
	for i := range all {
		all[i].Family = len(all)
	}
	return all
}

// factorPaths lists the factors besides storage.
func factorPaths(variants []model.Variant) []string {
	paths := map[string]bool{}
	for _, v := range variants {
		for path := range v.Factors {
			if path != "storage" {
				paths[path] = true
			}
		}
	}
	return stats.SortedKeys(paths)
}

// level is a variant at a numeric level of a factor.
type level struct {
	variant *model.Variant
	value   float64
}

// alike groups the variants that differ in one factor alone, each group sorted by
// its levels.
func alike(variants []model.Variant, path string) [][]level {
	groups := map[string][]level{}
	for i := range variants {
		v := &variants[i]
		value, err := strconv.ParseFloat(v.Factors[path], 64)
		if err == nil && stats.IsFinite(value) {
			key := restOfFactors(v, path)
			groups[key] = append(groups[key], level{v, value})
		}
	}
	var out [][]level
	for _, key := range stats.SortedKeys(groups) {
		g := groups[key]
		sort.SliceStable(g, func(i, j int) bool { return g[i].value < g[j].value })
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

func restOfFactors(v *model.Variant, path string) string {
	var b strings.Builder
	for _, p := range stats.SortedKeys(v.Factors) {
		if p != path {
			b.WriteString(p + "\x00" + v.Factors[p] + "\x00")
		}
	}
	return b.String()
}

// LevelChange is a level of a factor and the next, at a common rung.
type LevelChange struct {
	Contrast
	Path      string
	Low, High *model.Variant
	Rung      int
}

// raisesOf holds each level against the next at one common rung, the largest
// that either of them kept: there the resource is wanted most.
func raisesOf(a *model.Analysis, path string, group []level) (all []LevelChange) {
	for i := 1; i < len(group); i++ {
		low, high := group[i-1].variant, group[i].variant
		c := ContrastOf(a, low, high)
		if at := c.decidingRung(low, high); at > 0 {
			all = append(all, LevelChange{c, path, low, high, at})
		}
	}
	return all
}

// decidingRung is the largest common rung that one of the two kept, else the largest common
// one; 0 for none.
func (c Contrast) decidingRung(from, to *model.Variant) (at int) {
	kept := func(v *model.Variant, n int) bool { return rung.Find(v.Rungs, n).Kept }
	for _, n := range slices.Backward(c.Rungs) {
		if kept(from, n) || kept(to, n) {
			return n
		}
		at = max(at, n)
	}
	return at
}

// Outcome says whether the factor was the bottleneck, as far as the interval of the change
// allows.
func (r LevelChange) Outcome() model.Outcome {
	switch change := r.At(r.Rung); {
	case r.Stands(change) == Gained:
		return model.WasLimit
	case (r.Published || change.Confidence > 0) && change.High < Moved:
		return model.IsNoLimit
	}
	return model.Undecided
}
