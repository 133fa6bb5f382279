package analysis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"golang.org/x/perf/benchmath"

	"plimsoll/internal/result"
)

// Side is one of the two things compared: a variant of a run, or all of its
// trials where Variant is empty and the run has one variant, or the run's
// variants by the same names as those of the other side.
type Side struct {
	Run     *result.Run
	Variant string
	Label   string // for the text; the variant's or run's name when empty
}

// CompareOptions say what a difference is.
type CompareOptions struct {
	// Alpha is the level of the test; 0 takes 0.05.
	Alpha float64
	// Unit overrides the workload's unit of throughput.
	Unit string
	// FailIf are expressions such as "p95 > +5%"; see ParseCondition.
	FailIf []Condition
}

// Verdict of a difference, from the view of B.
type Verdict string

// Verdicts. NoDifference means that none was shown, not that there is none.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference shown"
	// Untested: too few repetitions for a test at this level, or none at all.
	Untested Verdict = "too few repetitions"
)

// Comparison is B held against A.
type Comparison struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	Unit  string  `json:"unit"`
	Noun  string  `json:"noun"`
	Alpha float64 `json:"alpha"`
	// Differences, by variant, rung and metric, throughput first.
	Differences []Difference `json:"differences"`
	// Verdict sums them up: worse if any shown difference of throughput or of
	// a whole order's time is worse, else better if any is better.
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	// Failed are the conditions that hold, in words; empty means a pass.
	Failed   []string  `json:"failed"`
	Warnings []Warning `json:"warnings"`
}

// Difference is one metric of one rung.
type Difference struct {
	Variant   string   `json:"variant,omitempty"`
	Instances int      `json:"instances"`
	Operation string   `json:"operation"` // "order" for the whole
	Metric    string   `json:"metric"`    // throughput, mean, p50, p90, p95, p99, p99.9, errors
	A         Interval `json:"a"`
	B         Interval `json:"b"`
	// Change is B/A - 1 of the medians with a bootstrap interval; for errors
	// the difference of the shares.
	Change  Interval `json:"change"`
	P       float64  `json:"p"` // Mann-Whitney U test
	NA      int      `json:"n_a"`
	NB      int      `json:"n_b"`
	Verdict Verdict  `json:"verdict"`
}

// ErrIncomparable says that two sides share no rung.
var ErrIncomparable = errors.New("compare: the two sides share no rung with passed trials of a common variant, so there is nothing to hold against each other; name the variants with RUN:VARIANT, or measure the same rungs")

// Compare holds b against a: per rung, operation and metric the difference of
// the medians with an interval and a non-parametric test, as benchmath does.
func Compare(a, b Side, o CompareOptions) (*Comparison, error) {
	if a.Run == nil || b.Run == nil {
		return nil, ErrNothing
	}
	if o.Alpha <= 0 || o.Alpha >= 1 {
		o.Alpha = benchmath.DefaultThresholds.CompareAlpha
	}
	sa, sb := newSubject(a.Run, Options{Unit: o.Unit}), newSubject(b.Run, Options{Unit: o.Unit})
	if sa.unit != sb.unit {
		return nil, fmt.Errorf("compare: one side counts %s and the other %s, which cannot be held against each other; compare runs of the same workload", sa.unit.name, sb.unit.name)
	}
	warnings := append(append(comparability(sa, sb), sa.damage...), sb.damage...)
	c := &Comparison{A: a.label(), B: b.label(), Unit: sa.unit.name, Noun: sa.noun, Alpha: o.Alpha, Failed: []string{}, Warnings: warnings}
	all := pairs(a, b)
	each := make([][]Difference, len(all))
	parallel(len(all), func(i int) { each[i] = differences(all[i], sa, sb, o.Alpha) })
	c.Differences = slices.Concat(each...)
	if len(c.Differences) == 0 {
		return nil, ErrIncomparable
	}
	c.Verdict, c.Text = sumUp(c)
	for _, f := range o.FailIf {
		c.Failed = append(c.Failed, f.violations(c)...)
	}
	return c, nil
}

func (s Side) label() string {
	switch {
	case s.Label != "":
		return s.Label
	case s.Variant != "":
		return s.Variant
	}
	return s.Run.ID
}

// pair is one rung that both sides measured.
type pair struct {
	variant   string // "" where each side has only one
	instances int
	a, b      []*result.Trial
}

// pairs matches the rungs of the two sides: variant by variant where names
// agree, or the one chosen variant of each.
func pairs(a, b Side) []pair {
	va, vb := trialsByVariant(a), trialsByVariant(b)
	var out []pair
	if len(va) == 1 && len(vb) == 1 {
		for _, ta := range va {
			for _, tb := range vb {
				out = append(out, pairRungs("", ta, tb)...)
			}
		}
		return out
	}
	for _, name := range sortedKeys(va) {
		out = append(out, pairRungs(name, va[name], vb[name])...)
	}
	return out
}

// trialsByVariant are a side's passed trials.
func trialsByVariant(s Side) map[string][]*result.Trial {
	out := map[string][]*result.Trial{}
	trials, _ := soundTrials(s.Run.Trials)
	for _, t := range trials {
		if t.Status == result.Passed && (s.Variant == "" || t.Variant.Name == s.Variant) {
			out[t.Variant.Name] = append(out[t.Variant.Name], t)
		}
	}
	return out
}

func pairRungs(variant string, a, b []*result.Trial) []pair {
	byCount := map[int][]*result.Trial{}
	for _, g := range groupByRung(b) {
		byCount[g.instances] = g.passed
	}
	var out []pair
	for _, g := range groupByRung(a) {
		if len(g.passed) > 0 && len(byCount[g.instances]) > 0 {
			out = append(out, pair{variant: variant, instances: g.instances, a: g.passed, b: byCount[g.instances]})
		}
	}
	return out
}

// differences compares the throughput, the errors and every time of every
// operation of one rung.
func differences(p pair, sa, sb *subject, alpha float64) []Difference {
	out := []Difference{
		compareValues(p, "order", "throughput", collect(p.a, sa.unit.throughput), collect(p.b, sb.unit.throughput), alpha),
		compareValues(p, "order", "errors", collect(p.a, errorShare), collect(p.b, errorShare), alpha),
	}
	for _, operation := range commonOperations(p) {
		for _, metric := range []string{"mean", "p50", "p90", "p95", "p99", "p99.9"} {
			a, b := valuesOf(p.a, operation, metric), valuesOf(p.b, operation, metric)
			if len(a) > 0 && len(b) > 0 {
				out = append(out, compareValues(p, operation, metric, a, b, alpha))
			}
		}
	}
	return out
}

func errorShare(t *result.Trial) float64 {
	o := t.Operations["order"]
	n := sumErrors(o.Errors)
	return ratio(float64(n), float64(o.Count+o.RolledBack+n))
}

// commonOperations lists "order" first, then the rest that both sides have.
func commonOperations(p pair) []string {
	inB := map[string]bool{}
	for _, name := range operationNames(p.b) {
		inB[name] = true
	}
	names := []string{}
	for _, name := range operationNames(p.a) {
		if inB[name] {
			names = append(names, name)
		}
	}
	sort.SliceStable(names, func(i, j int) bool { return names[i] == "order" && names[j] != "order" })
	return names
}

// valuesOf are the trials' values of a metric, those that have it.
func valuesOf(trials []*result.Trial, operation, metric string) []float64 {
	var out []float64
	for _, t := range trials {
		s, ok := t.Operations[operation]
		if !ok {
			continue
		}
		v := s.Mean
		if metric != "mean" {
			v, ok = summaryPercentiles(s)[metric]
		}
		if ok && isFinite(v) && v > 0 {
			out = append(out, v)
		}
	}
	return out
}

func compareValues(p pair, operation, metric string, a, b []float64, alpha float64) Difference {
	a, b = finiteOnly(a), finiteOnly(b)
	d := Difference{
		Variant: p.variant, Instances: p.instances, Operation: operation, Metric: metric,
		A: summarise(a), B: summarise(b), NA: len(a), NB: len(b), P: 1,
	}
	d.Change = change(metric, a, b)
	test := uTest(a, b, alpha)
	d.P = test.P
	d.Verdict = judgeDifference(d, test, alpha)
	return d
}

// uTest is the Mann-Whitney U test (two-sided, exact for small samples).
func uTest(a, b []float64, alpha float64) benchmath.Comparison {
	thresholds := &benchmath.Thresholds{CompareAlpha: alpha}
	if len(a) == 0 || len(b) == 0 {
		return benchmath.Comparison{P: 1, Warnings: []error{errors.New("no values")}}
	}
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(a, thresholds), benchmath.NewSample(b, thresholds))
}

// judgeDifference says what the test showed. With fewer than four values on a
// side (at 5 %) no difference, however large, can be shown.
func judgeDifference(d Difference, test benchmath.Comparison, alpha float64) Verdict {
	switch {
	case d.P < alpha && d.Change.Value != 0:
		return direction(d.Metric, d.Change.Value)
	case smallestP(d.NA, d.NB) >= alpha:
		return Untested
	}
	return NoDifference
}

// smallestP is the least p-value that samples of these sizes can give: both
// extreme arrangements among all, 2/C(n+m, n).
func smallestP(n, m int) float64 {
	arrangements := 1.0
	for i := 1; i <= n; i++ {
		arrangements *= float64(m+i) / float64(i)
	}
	return min(1, 2/arrangements)
}

// direction tells better from worse: more throughput is better, more of
// anything else is worse.
func direction(metric string, change float64) Verdict {
	if (change > 0) == (metric == "throughput") {
		return Better
	}
	return Worse
}

// change is the relative difference of the medians, with a percentile
// bootstrap of both samples (Efron and Tibshirani, 1993, section 13.3). Error
// shares are subtracted, because they are often 0.
func change(metric string, a, b []float64) Interval {
	if len(a) == 0 || len(b) == 0 {
		return Interval{}
	}
	of := func(a, b float64) float64 { return ratio(b, a) - 1 }
	if metric == "errors" {
		of = func(a, b float64) float64 { return b - a }
	} else if median(a) == 0 {
		return Interval{}
	}
	point := of(median(a), median(b))
	if len(a) < 2 && len(b) < 2 {
		return exactly(point)
	}
	random := rand.New(rand.NewPCG(uint64(len(a)), uint64(len(b))))
	drawn, scratch := make([]float64, bootstrapRounds), make([]float64, max(len(a), len(b)))
	for i := range drawn {
		drawn[i] = of(resampledMedian(a, scratch, random), resampledMedian(b, scratch, random))
	}
	drawn = finiteOnly(drawn)
	return around(point, Interval{
		Low: quantile(drawn, (1-confidence)/2), High: quantile(drawn, (1+confidence)/2), Confidence: confidence,
	})
}

// resampledMedian draws as many values again, into the scratch.
func resampledMedian(values, scratch []float64, random *rand.Rand) float64 {
	drawn := scratch[:len(values)]
	for i := range drawn {
		drawn[i] = values[random.IntN(len(values))]
	}
	slices.Sort(drawn)
	return median(drawn)
}

// sumUp is the verdict over all rungs, from what a reader cares for: the
// throughput, times and errors of the whole order. Of many comparisons some
// show a difference by chance, so only those count here that hold against
// their number.
func sumUp(c *Comparison) (Verdict, string) {
	whole := ofOrders(c.Differences)
	holding := discoveries(whole, c.Alpha)
	worst, best := largest(holding, Worse), largest(holding, Better)
	switch {
	case worst != nil && best != nil:
		return Worse, fmt.Sprintf("`%s` is worse than `%s` in %s and better in %s.", c.B, c.A, c.phrase(worst), c.phrase(best))
	case worst != nil:
		return Worse, fmt.Sprintf("`%s` is worse than `%s`: %s.", c.B, c.A, c.phrase(worst))
	case best != nil:
		return Better, fmt.Sprintf("`%s` is better than `%s`: %s.", c.B, c.A, c.phrase(best))
	}
	alone, tested := 0, 0
	for _, d := range whole {
		if d.Verdict == Better || d.Verdict == Worse {
			alone++
		}
		if d.Verdict != Untested {
			tested++
		}
	}
	switch {
	case tested == 0:
		return Untested, fmt.Sprintf("Too few repetitions to show any difference between `%s` and `%s`: at this level it takes four on each side.", c.A, c.B)
	case alone > 0:
		return NoDifference, fmt.Sprintf("No difference between `%s` and `%s` was shown: %d of %d comparisons stand out, as chance alone can make them.", c.A, c.B, alone, len(whole))
	}
	return NoDifference, fmt.Sprintf("No difference between `%s` and `%s` was shown.", c.A, c.B)
}

func ofOrders(all []Difference) []*Difference {
	var out []*Difference
	for i := range all {
		if all[i].Operation == "order" {
			out = append(out, &all[i])
		}
	}
	return out
}

// discoveries are the differences that hold with a false discovery rate of
// alpha (Benjamini and Hochberg, "Controlling the False Discovery Rate", JRSS
// B 57(1), 1995).
func discoveries(all []*Difference, alpha float64) []*Difference {
	sorted := append([]*Difference{}, all...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].P < sorted[j].P })
	holding := 0
	for i, d := range sorted {
		if d.P <= alpha*float64(i+1)/float64(len(sorted)) {
			holding = i + 1
		}
	}
	return sorted[:holding]
}

// largest is the difference with the given verdict that changed most.
func largest(all []*Difference, v Verdict) *Difference {
	var out *Difference
	for _, d := range all {
		if d.Verdict == v && (out == nil || math.Abs(d.Change.Value) > math.Abs(out.Change.Value)) {
			out = d
		}
	}
	return out
}

// phrase writes one difference: "p95 at 8 instances +12 % (+8 to +17 %)".
func (c *Comparison) phrase(d *Difference) string {
	text := d.Metric
	if d.Operation != "order" {
		text = d.Operation + " " + text
	}
	if d.Variant != "" {
		text += " on `" + d.Variant + "`"
	}
	return fmt.Sprintf("%s at %s %s", text, count(d.Instances, c.Noun), changeText(d.Metric, d.Change))
}

func changeText(metric string, i Interval) string {
	unit := "%"
	if metric == "errors" {
		unit = "points"
	}
	text := fmt.Sprintf("%+.1f %s", i.Value*100, unit)
	if i.Confidence > 0 && i.Low != i.High {
		text += fmt.Sprintf(" (%+.1f to %+.1f)", i.Low*100, i.High*100)
	}
	return text
}

// comparability warns where the two sides differ in more than they should.
func comparability(a, b *subject) []Warning {
	warnings := []Warning{}
	add := func(text string, args ...any) {
		warnings = append(warnings, Warning{Kind: "comparability", Severity: severityCaution, Text: fmt.Sprintf(text, args...)})
	}
	ua, za := a.usersOf("")
	ub, zb := b.usersOf("")
	if ua != ub || za != zb {
		add("the load differs: %d users thinking %s against %d thinking %s", ua, seconds(za), ub, seconds(zb))
	}
	if da, db := firstDataset(a.run), firstDataset(b.run); da != db {
		add("the data set differs: %s against %s", da, db)
	}
	if a.cores != 0 && b.cores != 0 && a.cores != b.cores {
		add("the machines differ: %s cores against %s", figures(a.cores), figures(b.cores))
	}
	if a.anyTrial(published) != b.anyTrial(published) {
		add("one side is a published result of other hardware: compare shapes and conclusions rather than figures")
	}
	return warnings
}

func firstDataset(run *result.Run) string {
	for _, t := range run.Trials {
		if t.Dataset != "" {
			return t.Dataset
		}
	}
	return ""
}
