package analysis

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// effectFindings say what each factor with numbers for levels (CPUs, memory in
// bytes, queue depth) did, all else being equal. That is the source's own way
// to prove a bottleneck: give more of a resource and see what moves.
func (s *subject) effectFindings(a *Analysis) []Finding {
	var out []Finding
	for _, path := range factorPaths(a.Variants) {
		for _, group := range alike(a.Variants, path) {
			out = append(out, s.effectsOf(path, group)...)
		}
	}
	return out
}

// factorPaths lists the factors besides storage.
func factorPaths(variants []Variant) []string {
	paths := map[string]bool{}
	for _, v := range variants {
		for path := range v.Factors {
			if path != "storage" {
				paths[path] = true
			}
		}
	}
	return sortedKeys(paths)
}

// level is a variant at a numeric level of a factor.
type level struct {
	variant *Variant
	value   float64
}

// alike groups the variants that differ in one factor alone, each group in the
// order of its levels.
func alike(variants []Variant, path string) [][]level {
	groups := map[string][]level{}
	for i := range variants {
		v := &variants[i]
		value, err := strconv.ParseFloat(v.Factors[path], 64)
		if err == nil && isFinite(value) {
			key := restOfFactors(v, path)
			groups[key] = append(groups[key], level{v, value})
		}
	}
	var out [][]level
	for _, key := range sortedKeys(groups) {
		g := groups[key]
		sort.SliceStable(g, func(i, j int) bool { return g[i].value < g[j].value })
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

func restOfFactors(v *Variant, path string) string {
	var b strings.Builder
	for _, p := range sortedKeys(v.Factors) {
		if p != path {
			fmt.Fprintf(&b, "%s\x00%s\x00", p, v.Factors[p])
		}
	}
	return b.String()
}

// effectsOf compares each level with the next.
func (s *subject) effectsOf(path string, group []level) []Finding {
	var out []Finding
	for i := 1; i < len(group); i++ {
		low, high := group[i-1], group[i]
		a, b := bestKept(low.variant), bestKept(high.variant)
		if a == 0 || b == 0 {
			continue
		}
		gain := b/a - 1
		f := Finding{
			ID: "effect-" + high.variant.Name, Kind: "effect", Variant: high.variant.Name,
			Text: fmt.Sprintf("Raising %s from %s to %s takes `%s` from %s to %s %s within the objectives (%+.0f %%): %s.",
				path, low.variant.Factors[path], high.variant.Factors[path], withoutLevel(high.variant), figures(a), figures(b), s.unit.name, gain*100, effectMeaning(path, gain)),
			Numbers: map[string]float64{"before": a, "after": b, "change": gain},
		}
		for _, v := range []*Variant{low.variant, high.variant} {
			if i := bestRung(v.Rungs, func(r Rung) bool { return r.Kept }); i >= 0 {
				f.Trials = append(f.Trials, v.Rungs[i].Trials...)
			}
		}
		out = append(out, f)
	}
	return out
}

// withoutLevel names what both variants have in common.
func withoutLevel(v *Variant) string {
	if level := v.Factors["storage"]; level != "" {
		return level
	}
	return v.Name
}

// effectMeaning says what the change proves.
func effectMeaning(path string, gain float64) string {
	noun := path[strings.LastIndexByte(path, '.')+1:]
	if noun == "cpu" {
		noun = "CPU"
	}
	if gain >= moved {
		return "before, " + noun + " was what limited it"
	}
	return "it is not " + noun + " that limits it"
}
