package analysis

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/words"
)

// effectFindings say what each factor with numbers for levels (CPUs, memory in
// bytes, queue depth) did, all else being equal. That is the source's own way
// to prove a bottleneck: give more of a resource and see what moves. All share one level.
func (s *subject) effectFindings(a *Analysis) (out []Finding) {
	var all []raise
	for _, path := range factorPaths(a.Variants) {
		for _, group := range alike(a.Variants, path) {
			all = append(all, raisesOf(a, path, group)...)
		}
	}
	for _, r := range all {
		r.family = len(all)
		out = append(out, s.effectOf(r))
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
	return stats.SortedKeys(paths)
}

// level is a variant at a numeric level of a factor.
type level struct {
	variant *Variant
	value   float64
}

// alike groups the variants that differ in one factor alone, each group sorted by
// its levels.
func alike(variants []Variant, path string) [][]level {
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

func restOfFactors(v *Variant, path string) string {
	var b strings.Builder
	for _, p := range stats.SortedKeys(v.Factors) {
		if p != path {
			fmt.Fprintf(&b, "%s\x00%s\x00", p, v.Factors[p])
		}
	}
	return b.String()
}

// raise is a level of a factor and the next, at a common rung.
type raise struct {
	contrast
	path      string
	low, high *Variant
	rung      int
}

// raisesOf holds each level against the next at one common rung, the largest
// that either of them kept: there the resource is wanted most.
func raisesOf(a *Analysis, path string, group []level) (all []raise) {
	for i := 1; i < len(group); i++ {
		low, high := group[i-1].variant, group[i].variant
		r := raise{contrastOf(a, low, high), path, low, high, decidingRung(low, high)}
		if r.has(r.rung) {
			all = append(all, r)
		}
	}
	return all
}

func (s *subject) effectOf(r raise) Finding {
	change, before, after := r.at(r.rung), rung.Find(r.low.Rungs, r.rung), rung.Find(r.high.Rungs, r.rung)
	f := Finding{
		ID: "effect-" + r.high.Name, Kind: "effect", Variant: r.high.Name, Rung: r.rung,
		Text: fmt.Sprintf("Raising %s from %s to %s takes `%s` at %s from %s to %s %s, %s: %s.",
			r.path, r.low.Factors[r.path], r.high.Factors[r.path], withoutLevel(r.high), words.Count(r.rung, s.Noun),
			words.Figures(before.Throughput.Value), words.Figures(after.Throughput.Value), r.high.Work.Unit.Throughput, interval.ChangeText("throughput", change), effectMeaning(r.path, r.contrast, change)),
		Numbers: map[string]float64{"before": before.Throughput.Value, "after": after.Throughput.Value, "change": change.Value},
		Trials:  append(slices.Clone(before.Trials), after.Trials...),
	}
	if change.Bounded() {
		f.Numbers["low"], f.Numbers["high"] = change.Low, change.High
	}
	return f
}

// decidingRung is the largest rung that both measured and one of them kept, else
// the largest common one; 0 for none.
func decidingRung(a, b *Variant) int {
	common, kept := 0, 0
	for _, r := range a.Rungs {
		other := rung.Find(b.Rungs, r.Instances)
		if other == nil || r.Repetitions == 0 || other.Repetitions == 0 {
			continue
		}
		common = r.Instances
		if r.Kept || other.Kept {
			kept = r.Instances
		}
	}
	if kept > 0 {
		return kept
	}
	return common
}

// withoutLevel names what both variants have in common.
func withoutLevel(v *Variant) string {
	if level := v.Factors["storage"]; level != "" {
		return level
	}
	return v.Name
}

// effectMeaning says what the change proves, as far as its interval allows.
func effectMeaning(path string, c contrast, change interval.Interval) string {
	noun := setup.FactorName(path)
	if whose, is := setup.CPUOf(path); is {
		noun = "the CPU of each " + whose
	}
	switch {
	case c.stands(change) == gained:
		return noun + " was the limit before"
	case (c.published || change.Confidence > 0) && change.High < moved:
		return noun + " is not the limit"
	case change.Confidence == 0:
		return "nothing was repeated, so whether " + noun + " is the limit is undecided"
	}
	return "whether " + noun + " is the limit is undecided"
}
