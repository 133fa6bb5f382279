package analysis

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/answer"
	"plimsoll/internal/analysis/answer/verdict"
	"plimsoll/internal/analysis/contrast"
	"plimsoll/internal/result"
	"plimsoll/test/nightly"
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

// saidOf counts how often one text of the analyses of made-up runs says
// something.
func saidOf(t *testing.T, of func(*Analysis) string, path string, repetitions int, factor float64, says ...string) []float64 {
	texts := make([]string, sets)
	analysistest.Share(sets, func(seed uint64) bool {
		a, err := Analyse(twoLevels(path, seed, repetitions, factor), Options{})
		if err != nil {
			t.Error(err)
			return false
		}
		texts[seed] = of(a)
		return true
	})
	shares := make([]float64, len(says))
	for i, say := range says {
		for _, text := range texts {
			if strings.Contains(text, say) {
				shares[i]++
			}
		}
		shares[i] /= float64(sets)
	}
	t.Logf("%d repetitions, %v times: %v %.3f\n%s", repetitions, factor, says, shares, texts[0])
	return shares
}

// What varying a resource did is only said where the repetitions carry it.
func TestEffectsAreSeldomWrong(t *testing.T) {
	effect := func(a *Analysis) string {
		for _, f := range a.Findings {
			if f.Kind == "effect" {
				return f.Text
			}
		}
		return ""
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
		got := saidOf(t, effect, "engine.cpu", c.repetitions, c.factor, "was the limit before", "the CPU of each instance is not the limit")
		if got[0] > c.limited || got[1] > c.not || got[c.decidedCorrectly] < c.atLeast {
			t.Errorf("%d repetitions, %v times: %v", c.repetitions, c.factor, got)
		}
	}
}

// The answers compare variants at common rungs, or say that it is not decided.
func TestAnswersAreSeldomWrong(t *testing.T) {
	answer := func(question string) func(*Analysis) string {
		return func(a *Analysis) string {
			for _, x := range a.Answers {
				if strings.HasPrefix(x.Question, question) {
					return x.Text
				}
			}
			return ""
		}
	}
	setUp, storage := answer("Which configuration"), answer("Which storage")
	if got := saidOf(t, setUp, "storage", 1, 1, "is undecided, because nothing was repeated")[0]; got < 0.999 {
		t.Errorf("one repetition: %v", got)
	}
	if got := saidOf(t, setUp, "storage", 3, 1, "; more than the next best", "; but less"); got[0]+got[1] > 0.06 {
		t.Errorf("no effect: %v", got)
	}
	if got := saidOf(t, setUp, "storage", 3, 1.3, "; more than the next best, `v1`", "undecided"); got[0] < 0.95 || got[1] > 0.05 {
		t.Errorf("a third more: %v", got)
	}
	if got := saidOf(t, storage, "storage", 3, 1, "Undecided", "makes little difference", "does +"); got[0]+got[1] < 0.94 {
		t.Errorf("no effect: %v", got)
	}
	if got := saidOf(t, storage, "storage", 3, 1.3, "`2` does +", "makes little difference"); got[0] < 0.95 || got[1] > 0.05 {
		t.Errorf("a third more: %v", got)
	}
}

func TestConfirmationsAreSeldomWrong(t *testing.T) {
	for _, c := range []struct {
		factor        float64
		expect        string
		wrong         string
		right         string
		leastDecision float64
	}{
		{1, "worse", "Confirmed", "Refuted", 0.7},
		{0.5, "worse", "Refuted", "Confirmed", 0.99},
		{1, "same", "Refuted", "Confirmed", 0.7},
		{1.3, "same", "Confirmed", "Refuted", 0.9},
	} {
		f := Finding{ID: "x", Change: &Change{Path: "engine.cpu", From: "1", To: "2", Rungs: []int{12}, Expect: c.expect}}
		confirmed := func(a *Analysis) string {
			out, err := answer.Confirm(f, a)
			if err != nil {
				t.Error(err)
			}
			return out.Text
		}
		got := saidOf(t, confirmed, "engine.cpu", 3, c.factor, c.wrong, c.right)
		if got[0] > 0.05 || got[1] < c.leastDecision {
			t.Errorf("%v times, %s expected: %v", c.factor, c.expect, got)
		}
	}
}

// Who reads an answer alone must see what speaks against it.
func TestAnswersCarryTheirCaveats(t *testing.T) {
	run := twoLevels("storage", 1, 2, 1)
	for _, x := range run.Trials {
		x.Storage.Simulated = true
		x.MeasureEnd = x.MeasureStart.Add(2e9)
		x.Audit = nil
	}
	a := analyse(t, run)
	for _, i := range []int{0, 1, 3} {
		if text := a.Answers[i].Text; !strings.Contains(text, "These trials are graded "+a.Grade+": v") || !strings.Contains(text, "The medium is simulated.") {
			t.Errorf("grade %s: %s", a.Grade, text)
		}
	}
	if text := a.Answers[1].Text; !strings.Contains(text, "in 2 trials") {
		t.Error(text)
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
			run := set.Run(seed)
			v := Variant{Name: "a"}
			v.Rungs, _ = ladder(run)
			return slices.ContainsFunc(verdict.Leading(&Analysis{Variants: []Variant{v}}), func(a Answer) bool { return strings.Contains(a.Text, "past its measured peak") })
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
			if f.Kind == "effect" && f.Numbers["low"] > 0 && f.Numbers["change"] >= contrast.Moved {
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
