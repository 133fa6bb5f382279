package grade

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// once is an analysis of one variant whose throughput was measured once in ten minutes, and a subject of
// phases of 10 s.
func once(warnings ...trust.Warning) (*setup.Subject, *model.Analysis) {
	s := &setup.Subject{Evidence: &trust.Evidence{Run: &result.Run{}, Study: &study.Study{}}}
	s.Study.Phases.Measure = unit.Duration(10 * time.Second)
	began := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	a := &model.Analysis{
		Variants: []model.Variant{{
			Name: "a", Rungs: []rung.Rung{{Instances: 4, Repetitions: 1, Kept: true, Throughput: stats.Exactly(100), Trials: []string{"a/4/1"}}},
			LoadLine: loadline.LoadLine{Rung: 4, Open: true, Why: loadline.NoObjective},
		}},
		Trials:   []model.TrialInfo{{ID: "a/4/1", Variant: "a", Status: string(result.Passed), Rung: 4, Grade: "A"}},
		Warnings: warnings,
	}
	a.Run.Started, a.Run.Ended = began, began.Add(10*time.Minute)
	return s, a
}

func of(kind trust.Kind, b bound.Bound) trust.Warning {
	return trust.Warning{Kind: kind, Trial: "a/4/1"}.By(b)
}

func TestTheAnswerIsAsFarOffAsItsFigure(t *testing.T) {
	b, letter := Answer(once())
	if letter != "A" || b.Figure != 100 || !b.Zero() || b.Low != 100 || b.High != 100 || b.Cure != nil || len(b.Doubts) > 0 {
		t.Errorf("nothing is doubted: %s, %+v", letter, b)
	}
	b, letter = Answer(once(of(trust.Cache, bound.TooHighBy(0.2)), of(trust.Loop, bound.TooLowBy(0.3)), of(trust.Dip, bound.TooLowBy(0.001))))
	if letter != "D" || !near(b.Low, 80) || b.High < 130 || b.High > 130.2 {
		t.Errorf("%s: %+v", letter, b)
	}
	if kinds := []trust.Kind{b.Doubts[0].Kind, b.Doubts[1].Kind}; len(b.Doubts) != 2 || !slices.Equal(kinds, []trust.Kind{trust.Loop, trust.Cache}) {
		t.Errorf("the greatest is not first, or one of nothing is listed: %+v", b.Doubts)
	}
	if d := b.Doubts[0]; !near(d.Low, 100) || !near(d.High, 130) || !slices.Equal(d.Trials, []string{"a/4/1"}) {
		t.Errorf("%+v", d)
	}
}

// What the run as a whole leaves open counts for every figure, and no trial has it. What was lost is not lost again.
func TestWhatTheRunLeavesOpen(t *testing.T) {
	b, letter := Answer(once(trust.Warning{Kind: trust.Missing}.By(bound.Unbounded)))
	if letter != "F" || !b.Open || len(b.Doubts) != 1 || len(b.Doubts[0].Trials) > 0 || b.Cure == nil || b.Cure.To == "F" || len(b.Cure.Set) > 0 {
		t.Errorf("%s: %+v", letter, b)
	}
	if b, letter := Answer(once(trust.Warning{Kind: trust.Missing})); letter != "A" || b.Open {
		t.Errorf("without a bound: %s: %+v", letter, b)
	}
}

// Where nothing passed there is no figure, and no grade.
func TestNothingMeasuredHasNoGrade(t *testing.T) {
	s, a := once()
	line := a.Variants[0].LoadLine
	a.Variants[0].LoadLine = loadline.LoadLine{Unmeasured: true, Why: loadline.EveryTrialFailed}
	if b, letter := Answer(s, a); b != nil || letter != "" {
		t.Errorf("%s: %+v", letter, b)
	}
	a.Variants[0].LoadLine, a.Trials[0].Grade = line, "" // published
	if b, letter := Answer(s, a); b != nil || letter != "" {
		t.Errorf("of published figures: %s: %+v", letter, b)
	}
	a.Trials[0].Grade, a.Trials[0].Status = "F", string(result.Failed)
	if b, letter := Answer(s, a); b != nil || letter != "" {
		t.Errorf("of trials that failed: %s: %+v", letter, b)
	}
}

// The figure of a line at which nothing was kept is the rung that broke; a figure of nothing has no bound.
func TestAFigureOfZero(t *testing.T) {
	s, a := once(of(trust.Steal, bound.TooLowBy(0.2)))
	a.Variants[0].Rungs[0].Throughput = stats.Exactly(0)
	if b, letter := Answer(s, a); letter != "C" || b.Low != 0 || b.High != 0 {
		t.Errorf("%s: %+v", letter, b)
	}
	a.Variants[0].LoadLine = loadline.LoadLine{Next: 4, Why: loadline.ObjectiveMissed}
	if b, letter := Answer(s, a); letter != "C" || b.Figure != 4 || b.High <= 4 {
		t.Errorf("%s: %+v", letter, b)
	}
}

// The variant that may be off the most decides.
func TestTheWorstFigureDecides(t *testing.T) {
	s, a := once(trust.Warning{Kind: trust.Steal, Trial: "b/4/1"}.By(bound.TooLowBy(0.2)))
	second := a.Variants[0]
	second.Name = "b"
	second.Rungs = []rung.Rung{{Instances: 4, Repetitions: 1, Kept: true, Throughput: stats.Exactly(200), Trials: []string{"b/4/1"}}}
	a.Variants = append(a.Variants, second)
	a.Trials = append(a.Trials, model.TrialInfo{ID: "b/4/1", Variant: "b", Status: string(result.Passed), Rung: 4, Grade: "A"})
	if b, letter := Answer(s, a); letter != "C" || b.Variant != "b" || b.Turns {
		t.Errorf("%s: %+v", letter, b)
	}
}

// A cure is named where it leaves less; that of one doubt does not help where another one is much larger.
func TestCuresThatDoNotHelpAreNotNamed(t *testing.T) {
	for name, c := range map[string]struct {
		warnings []trust.Warning
		set      string // of the best
		idle     bool
		guests   bool
		none     bool
	}{
		"nothing known helps":        {warnings: []trust.Warning{of(trust.Cache, bound.TooHighBy(0.3))}, none: true},
		"once":                       {warnings: []trust.Warning{of(trust.OneRepetition, bound.RandomBy(0.1, 0.1))}, set: "repetitions=3"},
		"once, beside far more":      {warnings: []trust.Warning{of(trust.OneRepetition, bound.RandomBy(0.02, 0.02)), of(trust.Loop, bound.TooLowBy(0.9))}, none: true},
		"a short phase":              {warnings: []trust.Warning{of(trust.ShortPhase, bound.Either(0.2))}, set: "phases.measure=40s"},
		"others":                     {warnings: []trust.Warning{of(trust.Background, bound.TooLowBy(0.3))}, idle: true},
		"other guests":               {warnings: []trust.Warning{of(trust.Steal, bound.TooLowBy(0.3))}, guests: true},
		"late, of nobody's fault":    {warnings: []trust.Warning{of(trust.DriverLate, bound.TooLowBy(0.3))}, none: true},
		"late, beside others":        {warnings: []trust.Warning{of(trust.DriverLate, bound.TooLowBy(0.3)), of(trust.Background, bound.TooLowBy(0.1))}, idle: true},
		"open, whatever is repeated": {warnings: []trust.Warning{of(trust.Heat, bound.Unbounded), of(trust.OneRepetition, bound.RandomBy(0.1, 0.1))}, none: true},
		"next to nothing":            {warnings: []trust.Warning{of(trust.Background, bound.TooLowBy(1e-12))}, none: true},
	} {
		b, _ := Answer(once(c.warnings...))
		if c.none != (b.Cure == nil) {
			t.Errorf("%s: %+v of %+v", name, b.Cure, b)
			continue
		}
		if b.Cure == nil {
			continue
		}
		if b.Cure.Idle != c.idle || b.Cure.Guests != c.guests || c.set != "" && !slices.Equal(b.Cure.Set, []string{c.set}) {
			t.Errorf("%s: %+v", name, b.Cure)
		}
		if b.Cure.Left.Size() >= b.Size() || b.Cure.To != b.Cure.Left.Grade() || b.Cure.Minutes < 10 {
			t.Errorf("%s: %+v leaves as much as %+v", name, b.Cure, b)
		}
	}
}

// Of two cures the one that gains more in a minute is told, and each doubt has its own.
func TestTheBestCureGainsMostInAMinute(t *testing.T) {
	b, _ := Answer(once(of(trust.OneRepetition, bound.RandomBy(0.2, 0.2)), of(trust.Background, bound.TooLowBy(0.3))))
	if !b.Cure.Idle {
		t.Errorf("ten minutes on a quiet machine gain more than thirty: %+v", b.Cure)
	}
	for _, d := range b.Doubts {
		if d.Cure == nil || d.Cure.Idle != (d.Kind == trust.Background) {
			t.Errorf("%s: %+v", d.Kind, d.Cure)
		}
	}
	if c := best(nil); c != nil {
		t.Errorf("%+v", c)
	}
	if c := best([]model.Cure{{Gain: 0.2, Minutes: 10}, {Gain: 0.3, Minutes: 30}, {Gain: 0.1, Minutes: 3}}); c.Minutes != 3 {
		t.Errorf("%+v", c)
	}
}
