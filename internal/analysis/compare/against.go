package compare

import (
	"math"
	"slices"
	"strconv"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// thisRun is the text's name for the run that a report is about.
const thisRun = "this run"

// Against compares a run with another one, or with a published result, for the run's
// report. Apart lists what they do not have in common; if they have nothing in common, the
// error is ErrIncomparable or ErrUnlike.
func Against(ours *result.Run, theirs sides.Side) (*analysis.ReferenceResult, error) {
	c, err := Runs(theirs, sides.Side{Run: ours, Label: thisRun}, Options{})
	if err != nil {
		return nil, err
	}
	out := &analysis.ReferenceResult{
		Name: c.A, Called: called(theirs.Run, ours), Label: label(theirs.Run, ours), InShape: c.Verdict == InShape, Verdict: string(c.Verdict), Text: c.Text,
		Grade: c.GradeA, Differs: c.Differs, Warnings: c.Warnings, Counterparts: []analysis.Counterpart{},
	}
	if p := theirs.Run.Plan; theirs.Published() && p != nil && p.Study != nil {
		out.Source = p.Study.Source
	}
	sameNoun := setup.Noun(trust.Sift(theirs.Run)) == c.Noun && setup.Noun(trust.Sift(ours)) == c.Noun
	for i := range c.variants {
		if g := c.counterpart(&c.variants[i]); len(g.Rungs) > 0 && sameNoun {
			g.Brief = c.brief(c.variants[i].Name, out.Label)
			out.Counterparts = append(out.Counterparts, g)
		}
	}
	out.Apart = c.Apart
	return out, nil
}

// called names the other side in tables.
func called(theirs, ours *result.Run) string {
	switch {
	case trial.AnyPublished(theirs.Trials):
		return "published"
	case begun(theirs).Before(begun(ours)):
		return "earlier"
	}
	return "later"
}

// label names the other side where it stands alone: a run by its date, with the time
// where both are of one day.
func label(theirs, ours *result.Run) string {
	at := begun(theirs)
	switch {
	case trial.AnyPublished(theirs.Trials):
		return "published"
	case at.IsZero():
		return say.F("%s run", called(theirs, ours))
	case at.Format(time.DateOnly) == begun(ours).Format(time.DateOnly):
		return say.F("run of %s", at.Format("2006-01-02 15:04"))
	}
	return say.F("run of %s", at.Format(time.DateOnly))
}

// begun is when the first trial of a run was, in UTC; zero where that is not known.
func begun(run *result.Run) (first time.Time) {
	for _, t := range run.Trials {
		if first.IsZero() || t.Begun.Before(first) {
			first = t.Begun.UTC()
		}
	}
	return first
}

// brief sums up the result for a variant: which load line is higher, or else the mean
// change of the first metric that differs; empty if nothing was shown.
//
// Needs: The change against another run, of a variant.
func (c *Comparison) brief(variant, other string) string {
	for _, p := range c.LoadLines {
		switch {
		case p.Variant != variant:
		case p.Verdict == family.NoDifference:
			return say.F("the same as %s", other)
		case p.Verdict != family.Inconclusive:
			return say.F("%s against %s (%s)", p.change(), say.LineRange(p.A, c.Noun), other)
		}
	}
	for _, q := range c.Questions {
		if q.Variant == variant && q.P <= c.Alpha {
			return say.F("%s %s against %s", q.Metric, say.ChangeText(q.Metric, q.Change), other)
		}
	}
	return ""
}

// change is by how much B carries more or fewer: "−25 %", or "fewer" where a line has
// no end.
func (p LinePair) change() string {
	a, b := p.A.Count, p.B.Count
	ended := !p.A.Open && !p.B.Open && !math.IsInf(a.High, 1) && !math.IsInf(b.High, 1)
	switch {
	case ended && a.Value > 0 && b.Value > a.Value:
		return "+" + words.PercentOf(b.Value/a.Value-1)
	case ended && a.Value > 0 && b.Value > 0:
		return words.PercentOf(b.Value/a.Value - 1)
	case p.Verdict == family.Better:
		return say.F("more")
	}
	return say.F("fewer")
}

// counterpart is A's measurements of a variant, without rungs if in shape nothing can be
// related.
func (c *Comparison) counterpart(v *sides.Variant) analysis.Counterpart {
	g := analysis.Counterpart{Variant: v.B[0].Variant.Name, Other: v.A[0].Variant.Name}
	by := scale{ours: 1, theirs: 1, throughput: 1, mean: 1}
	if c.Verdict == InShape {
		if g.Base, by = scaleOf(v); g.Base == 0 {
			return g
		}
	}
	for _, r := range v.RungsA {
		if rung, ok := by.rung(&r); ok {
			g.Rungs = append(g.Rungs, rung)
		}
	}
	c.addChanges(&g, v.Name)
	for _, p := range c.LoadLines {
		if p.Variant == v.Name {
			g.LoadLine, g.LineVerdict = &p.A, string(p.Verdict)
		}
	}
	return g
}

// scale maps the rungs of A onto B's: `by` instances of A stand for one of B, and figures
// are multiplied.
type scale struct {
	ours, theirs     int
	throughput, mean float64
}

// scaleOf scales A's figures to equal B's at the base rung of B. The base is 0 where
// nothing is scaled.
func scaleOf(v *sides.Variant) (base int, by scale) {
	pairs, scaled := relatedOf(v)
	if len(pairs) == 0 {
		return 0, scale{}
	}
	a, b := pairs[0].a, pairs[0].b
	by = scale{ours: 1, theirs: 1, throughput: b.Throughput.Value / a.Throughput.Value, mean: stats.Ratio(b.Mean.Value, a.Mean.Value)}
	if scaled {
		by.ours, by.theirs = first(v.RungsB), first(v.RungsA)
	}
	return b.Instances, by
}

// rung maps a rung of A to its place on B's ladder. It reports false between two counts,
// and without figures.
func (s scale) rung(r *rung.Rung) (g analysis.CounterpartRung, ok bool) {
	if r.Instances*s.ours%s.theirs != 0 {
		return g, false
	}
	g = analysis.CounterpartRung{Instances: r.Instances * s.ours / s.theirs, Metrics: heldMetrics(r, s.throughput, s.mean)}
	if s.ours != s.theirs {
		g.Theirs = r.Instances
	}
	return g, len(g.Metrics) > 0
}

// heldMetrics are the figures of a rung that was measured, multiplied.
func heldMetrics(r *rung.Rung, throughput, time float64) map[string]analysis.ReferenceFigure {
	all := map[string]analysis.ReferenceFigure{}
	add := func(metric string, i stats.Interval, by float64) {
		if i.Value > 0 && by > 0 {
			i.Value, i.Low, i.High = i.Value*by, i.Low*by, i.High*by
			all[metric] = analysis.ReferenceFigure{Theirs: i}
		}
	}
	for name, value := range r.Percentile {
		if slices.Contains(analysis.ReferenceMetrics, name) {
			add(name, stats.Exactly(value), time)
		}
	}
	add("throughput", r.Throughput, throughput)
	add("mean", r.Mean, time)
	add("p95", r.P95, time)
	return all
}

// addChanges adds the changes of the unit of work at each common rung.
func (c *Comparison) addChanges(g *analysis.Counterpart, variant string) {
	set := func(rung int, metric string, change stats.Interval, verdict family.Verdict) {
		i := slices.IndexFunc(g.Rungs, func(r analysis.CounterpartRung) bool { return r.Instances == rung })
		if i < 0 {
			return
		}
		if h, ok := g.Rungs[i].Metrics[metric]; ok {
			h.Change, h.Verdict = &change, string(verdict)
			g.Rungs[i].Metrics[metric] = h
		}
	}
	for _, d := range c.Differences {
		if d.Variant == variant && d.Operation == c.Work.Whole() {
			set(d.Instances, d.Metric, d.Change, d.Verdict)
		}
	}
	for _, l := range c.Shape {
		if l.VariantA != g.Other || l.VariantB != g.Variant || l.Rung == 0 {
			continue
		}
		set(l.Rung, "throughput", stats.Exactly(l.Off), InShape)
		if l.ResponseA > 0 {
			set(l.Rung, "mean", stats.Exactly(l.ResponseB/l.ResponseA-1), InShape)
		}
	}
}

// apart says what only one side measured: variants, rungs, statistics.
//
// Needs: Variants, rungs and figures of both sides.
func (c *Comparison) apart(a, b sides.Side) []string {
	var matchedA, matchedB []string
	for i := range c.variants {
		v := &c.variants[i]
		matchedA, matchedB = append(matchedA, v.A[0].Variant.Name), append(matchedB, v.B[0].Variant.Name)
	}
	texts := c.rungsApart()
	if names := without(variantNames(b.Run, b.Variant), matchedB); len(names) > 0 {
		texts = append(texts, say.F("`%s` has no counterpart of %s.", c.A, quoted(names)))
	}
	if names := without(variantNames(a.Run, a.Variant), matchedA); len(names) > 0 {
		texts = append(texts, say.F("%s has no counterpart of %s of `%s`.", words.Capital(c.nameB()), quoted(names), c.A))
	}
	if a.Published() && !b.Published() {
		texts = append(texts, say.F("`%s` has neither percentiles nor repetitions: a difference from it has no interval.", c.A))
	}
	return texts
}

// nameB is how a text calls B.
func (c *Comparison) nameB() string {
	if c.B == thisRun {
		return thisRun
	}
	return "`" + c.B + "`"
}

// rungsApart says which rungs only one side measured, once for all variants where they
// are the same.
func (c *Comparison) rungsApart() (texts []string) {
	var order []string
	of := map[string][]string{}
	for i := range c.variants {
		v := &c.variants[i]
		a, b := onlyIn(v.RungsA, v.RungsB), onlyIn(v.RungsB, v.RungsA)
		if len(a)+len(b) == 0 {
			continue
		}
		text := say.F("that only one side measured: %s in %s, %s in `%s`.", orNone(b), c.nameB(), orNone(a), c.A)
		if of[text] == nil {
			order = append(order, text)
		}
		if name := v.B[0].Variant.Name; !slices.Contains(of[text], name) {
			of[text] = append(of[text], name)
		}
	}
	for _, text := range order {
		texts = append(texts, say.F("Rungs of %s %s", quoted(of[text]), text))
	}
	return texts
}

func onlyIn(a, b []rung.Rung) (counts []string) {
	for _, r := range a {
		if rung.Find(b, r.Instances) == nil {
			counts = append(counts, strconv.Itoa(r.Instances))
		}
	}
	return counts
}

func orNone(counts []string) string {
	if len(counts) == 0 {
		return say.F("none")
	}
	return say.Join(counts)
}

// variantNames lists the variants of a run in order of appearance, or the one chosen.
func variantNames(run *result.Run, only string) (names []string) {
	for _, t := range run.Trials {
		if name := t.Variant.Name; (only == "" || name == only) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func without(names, matched []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(matched, name) })
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = "`" + name + "`"
	}
	return say.Join(all)
}
