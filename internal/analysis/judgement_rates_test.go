package analysis

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/result"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// sets is how many made-up runs a rate is counted over: a broken bound shows in the first.
var sets = nightly.Times(200, analysistest.Sets)

// twoLevels is a run of two levels of a factor that is no storage, or of two
// storages where path is "storage"; the second does so many times the first.
func twoLevels(path string, seed uint64, repetitions int, factor float64) *result.Run {
	throughput := analysistest.Power(1200, 0.9)
	variant := func(level string, c analysistest.Curve) analysistest.Variant {
		factors := map[string]string{"storage": "ssd"}
		factors[path] = level
		return analysistest.Variant{Name: "v" + level, Factors: factors, Response: analysistest.MM1(0.05, 20), Throughput: c}
	}
	return analysistest.Set{
		Variants: []analysistest.Variant{variant("1", throughput), variant("2", throughput.Times(factor, 0))},
		Rungs:    []int{2, 6, 12}, Repetitions: repetitions, Noise: analysistest.Noise{Throughput: 0.03, Response: 0.04},
		Objectives: analysistest.MeanBelow(0.085),
	}.Run(seed)
}

// sharesOf counts in how many analyses of made-up runs each of some things is so.
func sharesOf(t *testing.T, path string, repetitions int, factor float64, are ...func(*Analysis) bool) []float64 {
	t.Helper()
	all := make([]*Analysis, sets)
	analysed := analysistest.Share(sets, func(seed uint64) bool {
		var err error
		if all[seed], err = Analyse(twoLevels(path, seed, repetitions, factor), Options{}); err != nil {
			t.Error(err)
		}
		return err == nil
	})
	if analysed < 1 {
		t.FailNow()
	}
	shares := make([]float64, len(are))
	for i, is := range are {
		shares[i] = analysistest.Share(sets, func(seed uint64) bool { return is(all[seed]) })
	}
	return shares
}

// What varying a resource did is only said where the repetitions carry it.
func TestEffectsAreSeldomWrong(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	effect := func(o model.Outcome) func(*Analysis) bool {
		return func(a *Analysis) bool {
			return slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Kind == "effect" && f.Outcome == o })
		}
	}
	for _, c := range []struct {
		repetitions      int
		factor           float64
		limited, not     float64 // at most
		atLeast          float64 // of the right one
		decidedCorrectly int     // 0 limited, 1 not
	}{
		{1, 1, 0, 0, 0, 0},
		{2, 1, 0.05, 1, 0.2, 1},
		{4, 1, 0.05, 1, 0.9, 1},
		{2, 1.3, 1, 0.05, 0.6, 0},
		{4, 1.3, 1, 0.05, 0.97, 0},
	} {
		got := sharesOf(t, "engine.cpu", c.repetitions, c.factor, effect(model.WasLimit), effect(model.IsNoLimit))
		if got[0] > c.limited || got[1] > c.not || got[c.decidedCorrectly] < c.atLeast {
			t.Errorf("%d repetitions, %v times: %v", c.repetitions, c.factor, got)
		}
	}
}

// Variants are distinguished at common rungs, or the result is undecided: which does more,
// and which storage carries more or does more by an amount that matters.
func TestVariantsAreSeldomToldApartWrongly(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	order := func(orders ...pairwise.Order) func(*Analysis) bool {
		return func(a *Analysis) bool {
			return slices.Contains(orders, pairwise.ContrastOf(a, &a.Variants[0], &a.Variants[1]).Order())
		}
	}
	apart := func(stands ...pairwise.Standing) func(*Analysis) bool {
		return func(a *Analysis) bool {
			c, lines := pairwise.ContrastOf(a, &a.Variants[0], &a.Variants[1]), a.Variants[1].LoadLine.Against(a.Variants[0].LoadLine)
			return lines == loadline.CarriesMore || lines == loadline.CarriesFewer || slices.Contains(stands, c.Stands(c.Mean()))
		}
	}
	type bound struct {
		name        string
		is          func(*Analysis) bool
		least, most float64
	}
	for _, c := range []struct {
		repetitions int
		factor      float64
		bounds      []bound
	}{
		{1, 1, []bound{{"one repetition", order(pairwise.Unrepeated), 0.999, 1}}},
		{3, 1, []bound{
			{"no effect is one", order(pairwise.More, pairwise.Less), 0, 0.06},
			{"storage, no effect is one", apart(pairwise.Gained, pairwise.Lost), 0, 0.06},
		}},
		{3, 1.3, []bound{
			{"a third more", order(pairwise.More), 0.95, 1},
			{"a third more is undecided", order(pairwise.Undecided), 0, 0.05},
			{"storage, a third more", apart(pairwise.Gained), 0.95, 1},
		}},
	} {
		are := make([]func(*Analysis) bool, len(c.bounds))
		for i, b := range c.bounds {
			are[i] = b.is
		}
		for i, got := range sharesOf(t, "storage", c.repetitions, c.factor, are...) {
			b := c.bounds[i]
			t.Logf("%s: %.3f", b.name, got)
			if got < b.least || got > b.most {
				t.Errorf("%s: %.3f", b.name, got)
			}
		}
	}
}

func TestConfirmationsAreSeldomWrong(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, c := range []struct {
		factor        float64
		expect        string
		wrong         model.Outcome
		right         model.Outcome
		leastDecision float64
	}{
		{1, "worse", model.Confirmed, model.Refuted, 0.7},
		{0.5, "worse", model.Refuted, model.Confirmed, 0.99},
		{1, "same", model.Refuted, model.Confirmed, 0.7},
		{1.3, "same", model.Confirmed, model.Refuted, 0.9},
	} {
		f := Finding{ID: "x", Change: &Change{Path: "engine.cpu", From: "1", To: "2", Rungs: []int{12}, Expect: c.expect}}
		confirmed := func(o model.Outcome) func(*Analysis) bool {
			return func(a *Analysis) bool {
				out, err := say.Confirm(f, a)
				if err != nil {
					t.Error(err)
				}
				return out.Outcome == o
			}
		}
		got := sharesOf(t, "engine.cpu", 3, c.factor, confirmed(c.wrong), confirmed(c.right))
		if got[0] > 0.05 || got[1] < c.leastDecision {
			t.Errorf("%v times, %s expected: %v", c.factor, c.expect, got)
		}
	}
}

// Throughput that levels off is seldom said to be past its peak.
func TestAPeakIsSeldomSeenWhereThereIsNone(t *testing.T) {
	for _, c := range []struct {
		curve analysistest.Curve
		most  float64
		least float64
	}{
		{analysistest.Constant(20000), 0.05, 0},
		{analysistest.Step(20000, 15000, 8), 1, 0.95},
	} {
		set := analysistest.Set{
			Variants: []analysistest.Variant{{Name: "a", Response: analysistest.Constant(0.1), Throughput: c.curve}},
			Rungs:    fiveRungs, Repetitions: 3, Noise: usual,
		}
		said := analysistest.Share(sets, func(seed uint64) bool {
			rungs, _ := ladder(set.Run(seed))
			return rung.PastPeak(rungs) > 0
		})
		t.Logf("%.3f", said)
		if said > c.most || said < c.least {
			t.Errorf("said in %.3f", said)
		}
	}
}

// Of several levels without an effect none is said to be the limit, whatever their number:
// all effects of an analysis share one level.
func TestSeveralEffectsShareALevel(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	levels := []string{"1", "2", "3", "4", "5", "6"}
	set := analysistest.Set{
		Rungs: []int{2, 6, 12}, Repetitions: 3, Noise: analysistest.Noise{Throughput: 0.1, Response: 0.04},
		Objectives: analysistest.MeanBelow(0.085),
	}
	for _, level := range levels {
		set.Variants = append(set.Variants, analysistest.Variant{
			Name: "v" + level, Factors: map[string]string{"storage": "ssd", "engine.cpu": level},
			Response: analysistest.MM1(0.05, 20), Throughput: analysistest.Power(1200, 0.9),
		})
	}
	wrong := analysistest.Share(200, func(seed uint64) bool {
		a, err := Analyse(set.Run(seed), Options{})
		if err != nil {
			t.Error(err)
			return false
		}
		for _, f := range a.Findings {
			if f.Kind == "effect" && f.Numbers["low"] > 0 && f.Numbers["change"] >= pairwise.Moved {
				return true
			}
		}
		return false
	})
	t.Logf("%.3f", wrong)
	if wrong > 0.05 {
		t.Errorf("a limit is named that is none in %.3f", wrong)
	}
}
