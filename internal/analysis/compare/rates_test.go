package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/compare/sides"
	"plimsoll/internal/analysis/grade"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

var fiveRungs = analysistest.FiveRungs

// sets is how many comparisons a rate is counted over: a bound that is broken shows in the
// first ones; each night, and in the tables of "make truth", there are more.
var sets = nightly.Times(200, analysistest.Sets)

// usual is the noise that most of these tests have: 2 % of throughput and 4 %
// of response time between repetitions.
var usual = analysistest.Noise{Throughput: 0.02, Response: 0.04}

// fromOne makes both sides of a comparison from one curve, with the throughput
// of B scaled at one rung, or at all of them where at is 0. Throughput and
// response time have noise of their own.
func fromOne(seed uint64, repetitions int, noise analysistest.Noise, factor float64, at int) (a, b *result.Run) {
	throughput := analysistest.Power(1200, 0.9)
	side := func(c analysistest.Curve, seed uint64) *result.Run {
		return analysistest.Set{
			Variants: []analysistest.Variant{{Name: "a", Response: analysistest.MM1(0.05, 40), Throughput: c}},
			Rungs:    fiveRungs, Repetitions: repetitions, Noise: noise,
		}.Run(seed)
	}
	return side(throughput, 2*seed), side(throughput.Times(factor, at), 2*seed+1)
}

func comparedQuietly(t *testing.T, a, b *result.Run, conditions ...string) *Comparison {
	o := Options{}
	for _, text := range conditions {
		f, err := family.ParseCondition(text)
		if err != nil {
			t.Error(err)
		}
		o.FailIf = append(o.FailIf, f)
	}
	c, err := Runs(sides.Side{Run: a, Label: "old"}, sides.Side{Run: b, Label: "new"}, o)
	if err != nil {
		t.Error(err)
	}
	return c
}

func analysed(t *testing.T, run *result.Run) *analysis.Analysis {
	t.Helper()
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func shown(c *Comparison) bool { return c.Verdict == family.Better || c.Verdict == family.Worse }

// Without an effect, at most the level of the verdicts may show one, whatever the
// noise, and at most the level of the conditions may hold.
func TestNoEffectIsSeldomShown(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		name        string
		noise       analysistest.Noise
		repetitions []int
		most        float64
	}{
		{"steady", usual, []int{1, 2, 3, 4, 8}, 0.06},
		{"noise grows fivefold over the rungs", analysistest.Noise{Throughput: 0.02, Response: 0.04, Growing: 1.5}, []int{2, 4}, 0.07},
		{"noise grows sixteenfold over the rungs", analysistest.Noise{Throughput: 0.01, Response: 0.01, Growing: 2}, []int{2}, 0.06},
		{"heavy tails", analysistest.Noise{Throughput: 0.02, Response: 0.04, Heavy: true}, []int{2, 4}, 0.06},
		// One side after the other, with noise carried between trials: some of
		// what differs between the runs looks like an effect. The comparison says so.
		{"carried from trial to trial", analysistest.Noise{Throughput: 0.02, Response: 0.04, Carried: 0.5}, []int{3, 8}, 0.12},
	} {
		for _, n := range c.repetitions {
			failures := make([]float64, sets)
			verdict := analysistest.Share(sets, func(seed uint64) bool {
				a, b := fromOne(seed, n, c.noise, 1, 0)
				compared := comparedQuietly(t, a, b, "p95 > +0.1%", "throughput < -0.1%")
				failures[seed] = float64(min(len(compared.Failed), 1))
				return shown(compared)
			})
			failed := stats.Mean(failures)
			t.Logf("%s, %d repetitions: shown %.3f, failed %.3f", c.name, n, verdict, failed)
			if verdict > c.most || failed > c.most {
				t.Errorf("%s, %d repetitions: shown %.3f, failed %.3f", c.name, n, verdict, failed)
			}
		}
	}
}

// No difference is made of noise, whichever side has more of it or fewer
// repetitions: the worst combinations of the table that "make truth" prints.
func TestUnequalNoiseShowsNothing(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		rungs          []int
		na, nb         int
		noiseA, noiseB float64
	}{
		{analysistest.OneRung, 10, 3, 0.01, 0.1},
		{analysistest.OneRung, 2, 10, 0.04, 0.02},
		{analysistest.OneRung, 3, 3, 0.1, 0.01},
		{analysistest.OneRung, 2, 2, 0.1, 0.1},
		{fiveRungs, 10, 3, 0.01, 0.1},
		{fiveRungs, 3, 5, 0.02, 0.01},
		{fiveRungs, 2, 3, 0.01, 0.1},
	} {
		a := analysistest.Side{Rungs: c.rungs, Repetitions: c.na, Noise: c.noiseA}
		b := analysistest.Side{Rungs: c.rungs, Repetitions: c.nb, Noise: c.noiseB}
		of := func(sets int, b analysistest.Side) float64 {
			return analysistest.Share(sets, func(seed uint64) bool {
				return shown(comparedQuietly(t, a.Run(2*seed), b.Run(2*seed+1)))
			})
		}
		none := of(300, b)
		b.Factor, b.At = 0.5, 8
		half := of(60, b)
		t.Logf("%d rungs, %d and %d repetitions, noise %v and %v: %.3f, halved %.3f", len(c.rungs), c.na, c.nb, c.noiseA, c.noiseB, none, half)
		if none > 0.05 || half < 0.95 {
			t.Errorf("%d rungs, %d and %d repetitions, noise %v and %v: %.3f, halved %.3f", len(c.rungs), c.na, c.nb, c.noiseA, c.noiseB, none, half)
		}
	}
}

// Nothing that no figure shows is called a change, however alike repetitions are.
func TestAChangeTooSmallToShowIsNone(t *testing.T) {
	side := analysistest.Side{Rungs: fiveRungs, Repetitions: 3, Noise: 1e-5}
	other := side
	other.Factor = 1.0004
	if c := comparedQuietly(t, side.Run(1), other.Run(2)); shown(c) || strings.Contains(c.Text, "is better") {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
	other.Factor = 1.01
	if c := comparedQuietly(t, side.Run(1), other.Run(2)); c.Verdict != family.Better {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
}

func TestEffectsAreFound(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		name        string
		repetitions int
		factor      float64
		at          int
		least       float64
	}{
		{"halved at one of five rungs", 4, 0.5, 8, 0.998},
		{"halved at one of five rungs", 2, 0.5, 8, 0.95},
		{"a tenth less at one rung", 4, 0.9, 8, 0.9},
		{"a twentieth less at all rungs", 2, 0.95, 0, 0.78},
		{"a twentieth less at all rungs", 3, 0.95, 0, 0.9},
		{"three hundredths more at all rungs", 8, 1.03, 0, 0.95},
	} {
		found := analysistest.Share(sets, func(seed uint64) bool {
			a, b := fromOne(seed, c.repetitions, usual, c.factor, c.at)
			v := comparedQuietly(t, a, b).Verdict
			return v == family.Worse && c.factor < 1 || v == family.Better && c.factor > 1
		})
		t.Logf("%s, %d repetitions: found %.3f", c.name, c.repetitions, found)
		if found < c.least {
			t.Errorf("%s, %d repetitions: found %.3f", c.name, c.repetitions, found)
		}
	}
}

// The intervals of change cover the true change: of one rung and of the mean.
func TestIntervalsOfChangeCover(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, n := range []int{2, 3, 4, 8} {
		means := make([]float64, sets)
		covers := func(i stats.Interval) bool { return i.Low <= -0.1 && -0.1 <= i.High }
		each := analysistest.Share(sets, func(seed uint64) bool {
			a, b := fromOne(seed, n, usual, 0.9, 0)
			c := comparedQuietly(t, a, b)
			if covers(c.Questions[0].Change) {
				means[seed] = 1
			}
			return covers(c.Differences[0].Change)
		})
		mean := stats.Mean(means)
		t.Logf("%d repetitions: one rung %.3f, mean %.3f", n, each, mean)
		if each < 0.925 || mean < 0.925 {
			t.Errorf("%d repetitions: one rung %.3f, mean %.3f", n, each, mean)
		}
	}
}

// A change that is said to be visible is seen in four cases of five.
func TestVisibleChangesAreSeen(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, n := range []int{2, 4} {
		visible := 0.0
		const looks = 20
		for look := range uint64(looks) {
			a, b := fromOne(1e6+look, n, usual, 1, 0)
			visible += *comparedQuietly(t, a, b).Questions[0].VisibleAtOneRung / looks
		}
		seen := analysistest.Share(sets, func(seed uint64) bool {
			a, b := fromOne(seed, n, usual, 1+visible, 8)
			return comparedQuietly(t, a, b).Verdict == family.Better
		})
		t.Logf("%d repetitions see %.1f %% at one rung: in %.3f", n, visible*100, seen)
		if seen < 0.7 {
			t.Errorf("%d repetitions see %.1f %% at one rung: in %.3f", n, visible*100, seen)
		}
	}
}

// A condition is undecided rather than guessed: at a true change of exactly the
// limit it seldom holds and is seldom ruled out.
func TestConditionsAtTheirLimit(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, n := range []int{1, 3, 8} {
		outcome := func(factor float64) (holds, passes float64) {
			held := make([]float64, sets)
			passes = analysistest.Share(sets, func(seed uint64) bool {
				a, b := fromOne(seed, n, usual, factor, 0)
				c := comparedQuietly(t, a, b, "throughput < -5%")
				held[seed] = float64(min(len(c.Failed), 1))
				return len(c.Failed) == 0 && len(c.Undecided) == 0
			})
			return stats.Mean(held), passes
		}
		atLimit, ruledOut := outcome(0.95)
		far, _ := outcome(0.8)
		_, none := outcome(1)
		t.Logf("%d repetitions: at the limit holds %.3f, passes %.3f; a fifth less holds %.3f; no change passes %.3f", n, atLimit, ruledOut, far, none)
		if atLimit > 0.07 || ruledOut > 0.07 || n > 1 && far < 0.99 || n >= 8 && none < 0.9 {
			t.Errorf("%d repetitions: at the limit holds %.3f, passes %.3f; a fifth less holds %.3f; no change passes %.3f", n, atLimit, ruledOut, far, none)
		}
	}
}

func TestComparisonSaysWhatItCouldHaveSeen(t *testing.T) {
	a, b := fromOne(5, 5, usual, 1, 0)
	c := comparedQuietly(t, a, b)
	if c.Verdict != family.NoDifference || !strings.Contains(c.Text, "5 repetitions would have detected a change in throughput of ") {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
	a, b = fromOne(5, 2, analysistest.Noise{Throughput: 0.1, Response: 0.1}, 1, 0)
	if c := comparedQuietly(t, a, b); c.Verdict != family.Inconclusive || !c.Inconclusive() || !strings.Contains(c.Text, "so add repetitions") {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
	a, b = fromOne(5, 1, usual, 1, 0)
	if c := comparedQuietly(t, a, b); c.Verdict != family.Untested || !c.Inconclusive() || c.Questions[0].VisibleOverall != nil {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
}

func TestErrorsAreAQuestionOnceThereAreAny(t *testing.T) {
	run := func(share float64, seed uint64) *result.Run {
		return analysistest.Set{
			Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1), Errors: analysistest.Constant(share)}},
			Rungs:    []int{2, 8}, Repetitions: 4, Noise: usual,
		}.Run(seed)
	}
	if c := comparedQuietly(t, run(0, 1), run(0.03, 2)); c.Verdict != family.Worse || !strings.Contains(c.Text, "errors") {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
	if c := comparedQuietly(t, run(0, 1), run(0, 2)); len(c.Questions) != 2 {
		t.Errorf("%+v", c.Questions)
	}
	// One error in one trial is no difference.
	b := run(0, 2)
	o := b.Trials[0].Operations["order"]
	o.Errors = map[string]int64{"timeout": 1}
	b.Trials[0].Operations["order"] = o
	if c := comparedQuietly(t, run(0, 1), b); shown(c) {
		t.Errorf("%s: %s", c.Verdict, c.Text)
	}
}

func TestConditionOnAMetricThatIsMissingIsUndecided(t *testing.T) {
	a, b := fromOne(1, 4, usual, 1, 0)
	if c := comparedQuietly(t, a, b, "login p95 > +5%"); len(c.Undecided) != 1 || !c.Inconclusive() {
		t.Errorf("%v", c.Undecided)
	}
}

func TestComparisonNamesWhatDiffers(t *testing.T) {
	a, b := fromOne(1, 4, usual, 1, 0)
	for _, x := range b.Trials {
		x.Variant.Engine.Memory = 256 << 20
		x.Variant.Engine.CPU = 2000000
		x.Variant.Engine.Settings = map[string]string{"fsync": "off"}
	}
	b.Machine.Kernel = "6.1"
	c := comparedQuietly(t, a, b)
	got := strings.Join(c.Differs, "; ")
	for _, want := range []string{"engine.settings.fsync: nothing against off", "engine.cpu: nothing against 2000000", "engine.memory: nothing against 256MiB", "machine.kernel: nothing against 6.1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if len(c.Differs) != 4 {
		t.Errorf("%q", c.Differs)
	}
}

func TestComparisonSaysThatOneSideCameAfterTheOther(t *testing.T) {
	a, b := fromOne(1, 4, usual, 1, 0)
	for _, x := range b.Trials {
		x.Begun = x.Begun.AddDate(0, 0, 1)
	}
	for _, w := range comparedQuietly(t, a, b).Warnings {
		if strings.Contains(w.Text, "one side was measured after the other") {
			return
		}
	}
	t.Error("no warning")
}

func TestComparisonOfGrades(t *testing.T) {
	a, b := fromOne(1, 4, usual, 0.5, 0)
	for _, x := range slices.Concat(a.Trials, b.Trials) {
		analysistest.Sampled(x, "cpu", "", "utilisation", 0.3)
	}
	for _, x := range b.Trials {
		x.Audit = nil
		x.MeasureEnd = x.MeasureStart.Add(2 * 1e9)
	}
	c, err := Runs(sides.Side{Run: a}, sides.Side{Run: b}, Options{MinGrade: "A"})
	refused, ok := errors.AsType[*grade.RefusedError](err)
	if !ok || c == nil || c.GradeB <= c.GradeA || refused.Grade != c.GradeB || len(refused.Reasons) == 0 {
		t.Errorf("%v: %+v", err, refused)
	}
}

func TestComparisonShowsTheFiguresOfTheReport(t *testing.T) {
	set := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: analysistest.MM1(0.05, 40)}},
		Rungs:    []int{4, 16}, Repetitions: 3, Noise: usual, Histograms: true, Objectives: analysistest.MeanBelow(0.07),
	}
	a, b := set.Run(1), set.Run(2)
	c := comparedQuietly(t, a, b)
	for _, r := range analysed(t, a).Variants[0].Rungs {
		for _, d := range c.Differences {
			if d.Instances == r.Instances && d.Metric == "p95" && d.A != r.P95 || d.Instances == r.Instances && d.Metric == "throughput" && d.A != r.Throughput {
				t.Errorf("%s at %d: %+v, the report has %+v and %+v", d.Metric, d.Instances, d.A, r.P95, r.Throughput)
			}
		}
	}
	if !strings.HasPrefix(c.Text, "Load line: 4 to 15 instances with `old`") {
		t.Error(c.Text)
	}
}

// Variants of one study are measured in turn, so that noise carried from trial to
// trial meets both alike.
func TestVariantsInTurnBearCarriedNoise(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	curve := analysistest.Power(1200, 0.9)
	for _, n := range []int{2, 4} {
		set := analysistest.Set{
			Variants: []analysistest.Variant{
				{Name: "a", Response: analysistest.Constant(0.1), Throughput: curve},
				{Name: "b", Response: analysistest.Constant(0.1), Throughput: curve},
			},
			Rungs: fiveRungs, Repetitions: n, Noise: analysistest.Noise{Throughput: 0.02, Response: 0.04, Carried: 0.5},
		}
		wrong := analysistest.Share(sets, func(seed uint64) bool {
			run := set.Run(seed)
			c, err := Runs(sides.Side{Run: run, Variant: "a"}, sides.Side{Run: run, Variant: "b"}, Options{})
			return err != nil || shown(c)
		})
		t.Logf("%d repetitions: %.3f", n, wrong)
		if wrong > 0.05 {
			t.Errorf("%d repetitions: %.3f", n, wrong)
		}
	}
}

// ladder measures a run with one variant.
func ladder(run *result.Run) []rung.Rung {
	rungs, _ := analysis.Ladder(trust.Sift(run), run.Trials, "instance")
	return rungs
}

// The 95th percentile comes from the merged histograms. Its interval covers the true one,
// and so does the interval of its change in a comparison.
func TestIntervalsOfAPercentileCover(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	sets := nightly.Times(200, 3000) // the truth is so near the bound that 500 sets prove nothing
	response := analysistest.MM1(0.05, 40)
	set := analysistest.Set{
		Variants: []analysistest.Variant{{Name: "a", Response: response}},
		Rungs:    []int{4, 16}, Repetitions: 3, Noise: usual, Histograms: true,
	}
	// of the quantiles that stand for a trial's log-normal times
	quiet := set
	quiet.Noise, quiet.Repetitions = analysistest.Noise{}, 1
	rungs := ladder(quiet.Run(0))
	truth := rungs[1].Percentile["p95"]
	changes := make([]float64, sets)
	covered := analysistest.Share(sets, func(seed uint64) bool {
		run := set.Run(2 * seed)
		for _, d := range comparedQuietly(t, run, set.Run(2*seed+1)).Differences {
			if d.Instances == 16 && d.Metric == "p95" && d.Change.Low <= 0 && 0 <= d.Change.High {
				changes[seed] = 1
			}
		}
		rungs := ladder(run)
		return rungs[1].P95.Low <= truth && truth <= rungs[1].P95.High
	})
	t.Logf("p95 %.3f, its change %.3f", covered, stats.Mean(changes))
	if covered < 0.925 || stats.Mean(changes) < 0.925 {
		t.Errorf("p95 %.3f, its change %.3f", covered, stats.Mean(changes))
	}
}
