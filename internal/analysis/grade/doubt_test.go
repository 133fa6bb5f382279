package grade

import (
	"math"
	"slices"
	"testing"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
)

// three are the passed trials of each rung in these tests.
var three = []string{"1", "2", "3"}

// aboutAll are warnings with bounds, by the trials that have them.
func aboutAll(kind trust.Kind, bounds ...bound.Bound) map[string][]trust.Warning {
	about := map[string][]trust.Warning{}
	for i, b := range bounds {
		if !b.Zero() {
			about[three[i]] = []trust.Warning{trust.Warning{Kind: kind}.By(b)}
		}
	}
	return about
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// One trial of three does not move their median, and two do, for whatever reasons.
func TestARungIsAsFarOffAsItsMiddleTrial(t *testing.T) {
	r := &rung.Rung{Instances: 1, Repetitions: 3, Throughput: stats.Interval{Value: 100, Low: 99, High: 101, Confidence: 0.95, Estimate: stats.Estimate{Value: math.Log(100), Error: 0.005, Freedom: 2}}}
	low := bound.TooLowBy(0.2)
	scatter := scatterOf(r.Throughput, len(three))
	over, under := scatter.TooLow, scatter.TooHigh
	reasons := aboutAll(trust.Steal, low)
	reasons["2"] = aboutAll(trust.Dip, bound.Bound{}, low)["2"]
	unlike := map[string][]trust.Warning{"1": reasons["1"], "2": reasons["2"], "3": aboutAll(trust.Heat, bound.Bound{}, bound.Bound{}, bound.Unbounded)["3"]}
	for name, c := range map[string]struct {
		about  map[string][]trust.Warning
		tooLow float64
		open   bool
	}{
		"none":                           {nil, over, false},
		"one":                            {aboutAll(trust.Steal, low), over, false},
		"one that is open":               {aboutAll(trust.Heat, bound.Unbounded), over, false},
		"two":                            {aboutAll(trust.Steal, low, low), 0.2*(1+over) + over, false},
		"two, for different reasons":     {reasons, 0.2*(1+over) + over, false},
		"three, for different reasons":   {unlike, 0.2*(1+over) + over, false},
		"two that are open":              {aboutAll(trust.Heat, bound.Unbounded, bound.Bound{}, bound.Unbounded), 0, true},
		"what the scatter of all counts": {aboutAll(trust.FewUnits, bound.RandomBy(0.5, 0.5), bound.RandomBy(0.5, 0.5)), over, false},
	} {
		got := summed(ofRung(r, three, c.about, byRate))
		if got.Open != c.open || !c.open && (!near(got.TooLow, c.tooLow) || !near(got.TooHigh, under)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Two repetitions tell less than three that differ as much, and one tells least.
func TestFewRepetitionsLeaveMoreOpen(t *testing.T) {
	of := func(i stats.Interval, passed []string) float64 {
		return summed(ofRung(&rung.Rung{Instances: 1, Throughput: i}, passed, nil, byRate)).Size()
	}
	alike, apart := stats.Interval{Value: 100, Low: 100, High: 100, Extremes: true}, stats.Interval{Value: 100, Low: 90, High: 110, Extremes: true}
	if got := of(alike, three[:2]); !near(got, trust.NotRepeated/math.Sqrt2) {
		t.Errorf("two that are alike: %g", got)
	}
	if a, b := of(alike, three[:2]), of(apart, three[:2]); b < 0.2 || b <= a {
		t.Errorf("two that differ by a fifth: %g, and %g", b, a)
	}
	noise := func(error, freedom float64) stats.Interval {
		i := apart
		i.Estimate = stats.Estimate{Value: math.Log(100), Error: error, Freedom: freedom}
		return i
	}
	few, many := of(noise(0.01, 1), three[:2]), of(noise(0.01/math.Sqrt(1.5), 2), three)
	if much := of(noise(0.1, 1), three[:2]); few < 0.05 || few > trust.NotRepeated || many >= few || much < 1.5*few {
		t.Errorf("two and three of the same noise: %g, %g; two of ten times that: %g", few, many, much)
	}
	if got := of(stats.Exactly(100), three[:1]); got != 0 { // its warning has the bound
		t.Errorf("one: %g", got)
	}
}

// bracketed is a line between 4 and 8, with rungs of three trials each, and what is said of each.
func bracketed(own, next bound.Bound) (loadline.LoadLine, []rung.Rung, func(*rung.Rung) []string, map[string][]trust.Warning) {
	about := map[string][]trust.Warning{"own": {trust.Warning{Kind: trust.Steal}.By(own)}, "next": {trust.Warning{Kind: trust.Steal}.By(next)}}
	passed := func(r *rung.Rung) []string {
		if r.Instances == 4 {
			return []string{"own"}
		}
		return []string{"next"}
	}
	l := loadline.LoadLine{Rung: 4, Next: 8, Count: stats.Interval{Value: 6, Low: 4, High: 7, Confidence: 0.95}}
	return l, []rung.Rung{{Instances: 4, Kept: true, Repetitions: 1}, {Instances: 8, Repetitions: 1}}, passed, about
}

// A line is too low only by what lowered the rung above it, and too high by what raised its own.
func TestALineIsBoundedByItsTwoRungs(t *testing.T) {
	either := bound.Bound{TooLow: 0.3, TooHigh: 0.2}
	for name, c := range map[string]struct{ own, next, want bound.Bound }{
		"neither":           {bound.Bound{}, bound.Bound{}, bound.Bound{}},
		"the rung above":    {bound.Bound{}, either, bound.Bound{TooLow: 0.3}},
		"its own":           {either, bound.Bound{}, bound.Bound{TooHigh: 0.2}},
		"both":              {either, either, either},
		"its own, open":     {bound.Unbounded, bound.Bound{}, bound.Unbounded},
		"the other, open":   {bound.Bound{}, bound.Unbounded, bound.Unbounded},
		"nothing of theirs": {bound.TooLowBy(0.3), bound.TooHighBy(0.2), bound.Bound{}},
	} {
		l, rungs, passed, about := bracketed(c.own, c.next)
		if got := summed(ofLine(l, rungs, passed, about)); got.Open != c.want.Open || !near(got.TooLow, c.want.TooLow) || !near(got.TooHigh, c.want.TooHigh) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// "At least 4" is not too low; "fewer than 4" is not too high; and what failed has no figure to doubt.
func TestLinesWithoutOneOfTheirRungs(t *testing.T) {
	either := bound.Bound{TooLow: 0.3, TooHigh: 0.2}
	l, rungs, passed, about := bracketed(either, either)
	l.Next, l.Open, l.Count.High = 0, true, math.Inf(1)
	if got := summed(ofLine(l, rungs[:1], passed, about)); got.TooLow > 0 || !near(got.TooHigh, 0.2) {
		t.Errorf("an open line: %+v", got)
	}
	l = loadline.LoadLine{Next: 4, Count: stats.Interval{Low: 0, High: 3, Confidence: 0.95}}
	if got := summed(ofLine(l, rungs, passed, about)); got.TooHigh > 0 || !near(got.TooLow, 0.3) {
		t.Errorf("a first rung that broke: %+v", got)
	}
	l, rungs, passed, about = bracketed(bound.Bound{}, either)
	rungs[1].Break.Failed = &result.Trial{}
	if got := summed(ofLine(l, rungs, passed, about)); !got.Zero() {
		t.Errorf("a rung above that failed: %+v", got)
	}
}

// Repetitions that leave open what a rung does leave a step of the ladder open.
func TestTheScatterOfALine(t *testing.T) {
	for name, c := range map[string]struct {
		low, high       float64
		tooLow, tooHigh bool
	}{
		"sure of both":      {4, 7, false, false},
		"not of the rung":   {2, 7, false, true},
		"not of the next":   {4, 11, true, false},
		"sure of neither":   {2, 11, true, true},
		"without any bound": {0, math.Inf(1), true, true},
	} {
		l, rungs, _, _ := bracketed(bound.Bound{}, bound.Bound{})
		l.Likely = stats.Interval{Low: c.low, High: c.high, Confidence: bound.Confidence}
		if got := scatterOfLine(l, rungs); got.TooLow > 0 != c.tooLow || got.TooHigh > 0 != c.tooHigh || got.TooHigh > 1 || !stats.IsFinite(got.TooLow) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The kinds of doubts about a quotient change sides with its divisor.
func TestQuotients(t *testing.T) {
	of := func(kind trust.Kind, b bound.Bound) []doubt { return []doubt{{kind, b, three}} }
	for name, c := range map[string]struct {
		a, b []doubt
		want bound.Bound
	}{
		"of the dividend":  {of(trust.Steal, bound.TooLowBy(0.25)), nil, bound.TooLowBy(0.25)},
		"of the divisor":   {nil, of(trust.Steal, bound.TooLowBy(0.25)), bound.TooHighBy(0.2)},
		"raised divisor":   {nil, of(trust.Cache, bound.TooHighBy(0.2)), bound.TooLowBy(0.25)},
		"of both":          {of(trust.Steal, bound.TooLowBy(0.25)), of(trust.Steal, bound.TooLowBy(0.25)), bound.Bound{TooLow: 0.25, TooHigh: 0.2}},
		"no divisor":       {nil, of(trust.Cache, bound.TooHighBy(1)), bound.Unbounded},
		"an open dividend": {of(trust.Heat, bound.Unbounded), nil, bound.Unbounded},
		"an open divisor":  {nil, of(trust.Heat, bound.Unbounded), bound.Unbounded},
	} {
		all := quotient(c.a, c.b)
		if got := summed(all); got.Open != c.want.Open || !c.want.Open && (!near(got.TooLow, c.want.TooLow) || !near(got.TooHigh, c.want.TooHigh)) || len(all) != 1 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	random := quotient(of(trust.OneRepetition, bound.RandomBy(0.03, 0.03)), of(trust.OneRepetition, bound.RandomBy(0.04, 0.04)))
	if got := summed(random); got.TooLow < 0.049 || got.TooLow > 0.055 || !random[0].bound.Random {
		t.Errorf("by chance: %+v", got)
	}
}

// An order is turned where the bound of the one reaches that of the other.
func TestOrdersThatCouldBeTurned(t *testing.T) {
	said := func(decision, decision) bool { return true }
	for _, c := range []struct {
		high, low bound.Bound
		turned    bool
	}{
		{bound.Bound{}, bound.Bound{}, false}, {bound.TooHighBy(0.05), bound.Bound{}, false}, {bound.TooHighBy(0.1), bound.Bound{}, true},
		{bound.Bound{}, bound.TooLowBy(0.12), true}, {bound.TooLowBy(3), bound.TooHighBy(0.5), false}, {bound.TooHighBy(0.06), bound.TooLowBy(0.06), true},
	} {
		of := func() []decision {
			return []decision{{variant: "a", figure: 100, doubts: []doubt{{bound: c.high}}}, {variant: "b", figure: 90, doubts: []doubt{{bound: c.low}}}}
		}
		if all := withOrder(of(), said); all[0].turned != c.turned || all[1].turned != c.turned {
			t.Errorf("%+v: %+v", c, all)
		}
		if all := withOrder(of(), func(decision, decision) bool { return false }); slices.ContainsFunc(all, func(d decision) bool { return d.turned }) {
			t.Errorf("nothing is said of the order: %+v", all)
		}
	}
}

// The scatter of the response time that decides is one of the line, over how fast it grows: halved where it
// grows as the square of the count. Where something else decides, it says nothing of the line.
func TestTheScatterOfWhatDecides(t *testing.T) {
	line := loadline.LoadLine{Rung: 4, Next: 8, Why: loadline.ObjectiveMissed}
	const t95 = 2.1318467863 // Student's t of four degrees of freedom, nine in ten between
	at := func(instances int, p95 float64) rung.Rung {
		return rung.Rung{
			Instances: instances, P95: stats.Interval{Value: p95, Estimate: stats.Estimate{Error: math.Log(1.21) / t95, Freedom: 4}},
			Objectives: []rung.ObjectiveResult{{Metric: "p95", Value: p95}},
		}
	}
	rungs := []rung.Rung{at(4, 0.1), at(8, 0.4)}
	if got := scatterOfLimited(line, rungs, 8); math.Abs(got-0.1) > 1e-6 {
		t.Errorf("of a square: %g", got)
	}
	for name, change := range map[string]func(*loadline.LoadLine, []rung.Rung){
		"falls":           func(_ *loadline.LoadLine, all []rung.Rung) { all[1] = at(8, 0.09) },
		"not repeated":    func(_ *loadline.LoadLine, all []rung.Rung) { all[1].P95.Estimate = stats.Estimate{} },
		"of an action":    func(_ *loadline.LoadLine, all []rung.Rung) { all[0].Objectives[0].Operation = "login" },
		"a share":         func(_ *loadline.LoadLine, all []rung.Rung) { all[0].Objectives[0].Metric = "errors" },
		"trials failed":   func(l *loadline.LoadLine, _ []rung.Rung) { l.Why = loadline.TrialsFailed },
		"an open line":    func(l *loadline.LoadLine, _ []rung.Rung) { l.Next = 0 },
		"a figure of 0":   func(_ *loadline.LoadLine, all []rung.Rung) { all[0].Objectives[0].Value = 0 },
		"no such a limit": func(l *loadline.LoadLine, _ []rung.Rung) { l.Missed = 1 },
	} {
		l, all := line, []rung.Rung{at(4, 0.1), at(8, 0.4)}
		change(&l, all)
		if got := scatterOfLimited(l, all, 8); !math.IsInf(got, 1) {
			t.Errorf("%s: %g", name, got)
		}
	}
}
