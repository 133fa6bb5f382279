package limit

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/text/words"
)

// Stages says which stage of the way limits which variants; empty where none is the bottleneck of
// any.
func Stages(a *model.Analysis) string {
	var names []stages
	limited := map[stages][]*model.Variant{}
	var all []*model.Variant
	for i := range a.Variants {
		v := &a.Variants[i]
		if len(v.Rungs) == 0 {
			continue
		}
		all = append(all, v)
		name := limitingStages(a.Findings, v.Name)
		if !slices.Contains(names, name) && name != (stages{}) {
			names = append(names, name)
		}
		limited[name] = append(limited[name], v)
	}
	var parts []string
	for _, name := range names {
		parts = append(parts, name.limit()+whichText(a, limited[name], all))
	}
	if len(parts) == 0 {
		return ""
	}
	if n := len(limited[stages{}]); n > 0 {
		parts = append(parts, fmt.Sprintf("in %d of %d cases none is shown to", n, len(all)))
	}
	return words.Capital(strings.Join(parts, "; "))
}

// stages are the one that limits, or the two that do together.
type stages struct{ one, with string }

// limit begins a sentence on what they limit.
func (s stages) limit() string {
	if s.with != "" {
		return fmt.Sprintf("%s and %s, both at work all the time, limit ", s.one, s.with)
	}
	return s.one + " limits "
}

// limitingStages are those that are a variant's bottleneck; empty for none.
func limitingStages(findings []model.Finding, variant string) stages {
	for _, f := range findings {
		if c := f.Cause; f.Variant == variant && c != nil && c.Kind == diagnose.Saturated && c.ResourceKind == resource.WayStage {
			return stages{c.Resource, c.With}
		}
	}
	return stages{}
}

// mostConditions is how many conditions name some of the variants; beyond, they are counted.
const mostConditions = 3

// whichText names some of all variants by levels that no other has, or else counts them.
func whichText(a *model.Analysis, some, all []*model.Variant) string {
	switch {
	case len(all) == 1:
		return "it"
	case len(some) == len(all):
		return "all of them"
	}
	var texts []string
	left := slices.Clone(some)
	candidates := conditions(a.Factors, some, all)
	for len(left) > 0 && len(texts) < mostConditions {
		best, most := condition(nil), 0
		for _, c := range candidates { // conditions on fewer levels come first
			if n := len(c.of(left)); n > most {
				best, most = c, n
			}
		}
		if most == 0 {
			break
		}
		left = slices.DeleteFunc(left, best.holds)
		texts = append(texts, best.text())
	}
	if len(left) > 0 {
		return fmt.Sprintf("%d of %d", len(some), len(all))
	}
	return words.Join(texts)
}

// condition is levels of several factors.
type condition []level

type level struct {
	path string
	model.Level
}

func (c condition) holds(v *model.Variant) bool {
	return !slices.ContainsFunc(c, func(l level) bool { return v.Factors[l.path] != l.Level.Level })
}

func (c condition) of(variants []*model.Variant) (held []*model.Variant) {
	for _, v := range variants {
		if c.holds(v) {
			held = append(held, v)
		}
	}
	return held
}

func (c condition) text() string {
	labels := make([]string, len(c))
	for i, l := range c {
		labels[i] = l.Label
	}
	return strings.Join(labels, " with ")
}

// conditions lists the conditions on one level, then on two, that only some of all variants
// meet.
func conditions(factors []model.Factor, some, all []*model.Variant) (met []condition) {
	var levels []level
	for _, f := range factors {
		for _, l := range f.Levels {
			levels = append(levels, level{f.Path, l})
		}
	}
	add := func(c condition) {
		if n := len(c.of(some)); n > 0 && n == len(c.of(all)) {
			met = append(met, c)
		}
	}
	for _, l := range levels {
		add(condition{l})
	}
	for i, l := range levels {
		for _, other := range levels[i+1:] {
			if other.path != l.path {
				add(condition{l, other})
			}
		}
	}
	return met
}
