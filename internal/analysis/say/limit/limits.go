package limit

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/text/words"
)

// mostLimits is how many limits are named one by one; the variants with others are counted.
const mostLimits = 2

// Limits says what limits which variants, in a sentence for each limit; empty where nothing was
// sampled of any.
func Limits(a *model.Analysis) string {
	var limits []limited
	var all []*model.Variant
	for i := range a.Variants {
		v := &a.Variants[i]
		if len(v.Rungs) == 0 {
			continue
		}
		all = append(all, v)
		one := limitOf(a.Findings, v)
		at := slices.IndexFunc(limits, func(l limited) bool { return l.by == one.by })
		if at < 0 {
			limits = append(limits, one)
			continue
		}
		limits[at].join(one)
	}
	slices.SortStableFunc(limits, func(l, m limited) int {
		most := len(m.variants) - len(l.variants)
		if len(all) <= fewNamed {
			most = -most // the last are the others
		}
		return cmp.Or(cmp.Compare(m.by.rank(), l.by.rank()), most)
	})
	if len(limits) == 0 || limits[0].by.Kind == "" {
		return ""
	}
	var texts []string
	for i, covered := 0, 0; i < len(limits); i++ {
		l, last := limits[i], i > 0 && i == len(limits)-1
		if len(all) > fewNamed && 2*covered > len(all) {
			break // what is named is not the limit of the rest
		}
		if i == mostLimits || l.by.rank() < known && !last && i+1 < len(limits) {
			return words.Sentences(append(texts, rest(limits[i:], len(all)))...)
		}
		them := whichText(a, l.variants, all)
		if last && l.by.rank() >= known && len(all) > 2 {
			them = others(len(l.variants))
		}
		texts = append(texts, words.Capital(l.text(them, len(limits) == 1)))
		covered += len(l.variants)
	}
	return words.Sentences(texts...)
}

// others names all that are left.
func others(n int) string {
	if n == 1 {
		return say.F("the other")
	}
	return say.F("the other %d", n)
}

// rest counts the variants that share a sentence.
func rest(limits []limited, all int) string {
	n := 0
	for _, l := range limits {
		n += len(l.variants)
	}
	if limits[0].by.rank() < known {
		return say.F("What limits %d of %d is not shown", n, all)
	}
	return say.F("Others limit %d of %d, or it is not shown", n, all)
}

// limited are variants with the same limit.
type limited struct {
	by       limitedBy
	variants []*model.Variant
	least    *resource.Resource // that of the variant where it is least busy; nil where it is none
	spread   bool               // it is clearly busier with others
}

// limitedBy is what distinguishes limits.
type limitedBy struct {
	diagnose.Kind
	what, with string // in words
}

// known is the rank from which it is known, or likely, what limits.
const known = 2

// rank puts known limits first, and variants without telemetry last.
func (l limitedBy) rank() int {
	switch l.Kind {
	case diagnose.Saturated, diagnose.Stolen, diagnose.Instance, diagnose.Failing:
		return known + 1
	case diagnose.Queueing:
		return known
	case "":
		return 0
	}
	return 1
}

func (l *limited) join(other limited) {
	l.variants = append(l.variants, other.variants...)
	if l.least == nil || other.least == nil {
		l.least = nil
		return
	}
	l.spread = l.spread || math.Abs(other.least.Utilisation-l.least.Utilisation) >= 0.01
	if other.least.Utilisation < l.least.Utilisation {
		l.least = other.least
	}
}

// limitOf is what limits a variant; without a kind where nothing of it was sampled.
func limitOf(findings []model.Finding, v *model.Variant) limited {
	l := limited{variants: []*model.Variant{v}}
	at := slices.IndexFunc(findings, func(f model.Finding) bool {
		return f.Kind == model.BottleneckFinding && f.Variant == v.Name && f.Cause != nil
	})
	if at < 0 {
		return l
	}
	c := *findings[at].Cause
	l.by = limitedBy{c.Kind, c.Resource, c.With}
	if r := rung.Find(v.Rungs, findings[at].Rung); r != nil {
		for i := range r.Resources {
			if r.Resources[i].Name == c.Resource {
				l.least, l.by.what = &r.Resources[i], r.Resources[i].Plain()
			}
		}
	}
	if c.Kind == diagnose.Spent && c.Resource == "" && v.Time != nil && len(v.Time.Growth) > 0 {
		l.by.what = limitText(v.Time.Growth[0], nil, c.Wait)
	}
	if c.Kind == diagnose.Driver || c.Kind == diagnose.Spent {
		l.by.Kind = diagnose.Saturated // the same is said of them
	}
	return l
}

// text says in a sentence what limits the variants that are called so; alone, where there is no
// other limit.
//
// Needs: Two stages: the busiest two at work for 90 % of the time or more, less than 10 % apart, and queues that
// bear it out.
func (l limited) text(them string, alone bool) string {
	switch l.by.Kind {
	case diagnose.Saturated:
		if l.by.with != "" {
			return say.F("%s and %s, both at work all the time, limit %s", l.by.what, l.by.with, them)
		}
		return say.F("%s %s %s", l.busy(), l.limits(), them)
	case diagnose.Stolen:
		return say.F("%s shared with other guests of the hypervisor, %s %s", l.busy(), l.limits(), them)
	case diagnose.Queueing:
		return say.F("%s most likely %s %s", l.busy(), l.limits(), them)
	case diagnose.Instance:
		return say.F("what one instance has to itself limits %s", them)
	case diagnose.Failing:
		return say.F("failing work limits %s", them)
	case diagnose.Users:
		if alone && len(l.variants) > 1 {
			them = say.F("any of them")
		}
		return say.F("nothing that was measured limits %s yet", them)
	}
	if !alone {
		return say.F("what limits %s is not shown", them)
	}
	return say.F("what limits %s is not shown%s", them, l.why())
}

// busy is the name of what limits, with how busy it is, or at least is: "disk loop0, 87 % busy,".
func (l limited) busy() string {
	if l.least == nil {
		return l.by.what
	}
	load := words.Percent(l.least.Utilisation)
	if l.least.Share() == resource.OfTime {
		load += say.F(" busy")
	} else {
		load = say.F("at %s", load)
	}
	if l.spread {
		load += say.F(" or more")
	}
	return say.F("%s, %s,", l.by.what, load)
}

// limits agrees with the number of the name of what limits.
func (l limited) limits() string {
	if l.least != nil && l.least.Kind.IsOccupied() {
		return say.F("limit")
	}
	return say.F("limits")
}

// why is the reason why it is not shown what limits, in a clause.
//
// Needs: The cause of the bottleneck of each variant; of many variants, levels of one or two factors
// that no other has, or else their count.
func (l limited) why() string {
	switch l.by.Kind {
	case diagnose.Neighbour:
		return "" // that is a doubt by itself
	case diagnose.Unsteady:
		return say.F(", as the work was not steady")
	case diagnose.Unknown:
		return say.F(": not all that could was measured")
	case diagnose.Uncertain:
		return say.F(": it may be %s", l.by.what)
	}
	if l.least == nil {
		return ""
	}
	return say.F(": the busiest, %s, was %s", l.by.what, say.LoadText(*l.least))
}

// mostConditions is how many conditions name some of the variants; beyond, they are counted.
const mostConditions = 3

// fewNamed is how many variants are named; of more, some are named by their levels.
const fewNamed = 3

// whichText names some of all variants, of many by levels that no other has, or else counts them.
func whichText(a *model.Analysis, some, all []*model.Variant) string {
	switch {
	case len(all) == 1:
		return say.F("it")
	case len(some) == len(all):
		return say.F("all of them")
	case len(all) <= fewNamed:
		return say.Join(namesOf(some))
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
		return say.F("%d of %d", len(some), len(all))
	}
	return say.Join(texts)
}

func namesOf(variants []*model.Variant) (names []string) {
	for _, v := range variants {
		names = append(names, "`"+v.Name+"`")
	}
	return names
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
	return strings.Join(labels, say.F(" with "))
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
