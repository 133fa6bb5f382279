package verdict

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/bound"
	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
)

// bounded is an analysis of variants with the doubts of an answer.
func bounded(variants int, doubts ...model.Doubt) *model.Analysis {
	a := &model.Analysis{Variants: make([]model.Variant, variants), Bound: &model.AnswerBound{Variant: "ssd", Doubts: doubts}}
	var all []bound.Bound
	for _, d := range doubts {
		all = append(all, d.Bound)
	}
	a.Bound.Bound = bound.Sum(all...)
	return a
}

func TestBoundsInWords(t *testing.T) {
	low := func(kind trust.Kind, share float64) model.Doubt {
		return model.Doubt{Kind: kind, Bound: bound.TooLowBy(share)}
	}
	high := func(kind trust.Kind, share float64) model.Doubt {
		return model.Doubt{Kind: kind, Bound: bound.TooHighBy(share)}
	}
	both := func(kind trust.Kind, share float64) model.Doubt {
		return model.Doubt{Kind: kind, Bound: bound.RandomBy(share, share)}
	}
	open := func(kind trust.Kind) model.Doubt { return model.Doubt{Kind: kind, Bound: bound.Unbounded} }
	turned := bounded(2, low(trust.Steal, 0.04))
	turned.Bound.Turns = true
	for want, a := range map[string]*model.Analysis{
		"": bounded(1),
		"may be 3 % too low because of short phases":                                                                  bounded(1, low(trust.ShortPhase, 0.03)),
		"may be 3 % too low because of short phases, or 6 % too high because of data in memory":                       bounded(1, low(trust.ShortPhase, 0.03), high(trust.Cache, 0.06)),
		"may be 6 % too high because of data in memory":                                                               bounded(1, low(trust.ShortPhase, 0.004), high(trust.Cache, 0.06)),
		"may be 10 % too low or too high because of few repetitions":                                                  bounded(1, both(trust.OneRepetition, 0.1)),
		"may be 33 % too low or 25 % too high because of warm-up":                                                     bounded(1, model.Doubt{Kind: trust.WarmUp, Bound: bound.Either(0.25)}),
		"may be 900 % too low because of users unaccounted for":                                                       bounded(1, low(trust.Loop, 9.02)),
		"may be 44 % too low because of CPU that others used and CPU given to other guests":                           bounded(1, low(trust.Stall, 0.05), low(trust.Steal, 0.1), low(trust.Background, 0.25)),
		"may be off by more than the run can tell because of no telemetry":                                            bounded(1, low(trust.Stall, 0.05), open(trust.Telemetry)),
		"may be off by more than the run can tell because of no telemetry and a CPU too hot":                          bounded(1, open(trust.Telemetry), open(trust.Heat)),
		"`ssd` may be 3 % too low because of short phases":                                                            bounded(3, low(trust.ShortPhase, 0.03)),
		"`ssd` may be 4 % too low because of CPU given to other guests. Within that the answer could be the opposite": turned,
	} {
		if b := Bounded(a, false); b.Text != want {
			t.Errorf("got  %q\nwant %q", b.Text, want)
		}
	}
	if b := Bounded(&model.Analysis{}, false); b != nil {
		t.Errorf("nothing was measured, and %+v", b)
	}
}

// What is written does not change the analysis that it is of.
func TestBoundedCopies(t *testing.T) {
	a := bounded(1, model.Doubt{Kind: trust.Steal, Bound: bound.TooLowBy(0.1), Cure: &model.Cure{Guests: true}})
	a.Bound.Cure = a.Bound.Doubts[0].Cure
	b := Bounded(a, false)
	if b.Doubts[0].Text != "CPU given to other guests" || b.Doubts[0].Cure.Text == "" || b.Cure.Text == "" {
		t.Errorf("%+v", b)
	}
	if a.Bound.Text != "" || a.Bound.Doubts[0].Text != "" || a.Bound.Cure.Text != "" {
		t.Errorf("%+v", a.Bound)
	}
}

// The command can be run as printed. A study that is not shipped is not named, because its
// name is not a file name.
func TestCuresInWords(t *testing.T) {
	a := &model.Analysis{}
	a.Study.Name, a.Study.Profile, a.Study.Set = "quickstart", "laptop", []string{"repetitions=2", "seed=5"}
	was := bound.TooLowBy(0.12)
	more := model.Cure{Left: bound.TooLowBy(0.07), Set: []string{"repetitions=3"}, Minutes: 9}
	for _, c := range []struct {
		cure    model.Cure
		was     bound.Bound
		shipped bool
		want    string
	}{
		{more, was, true, "run `plimsoll run quickstart --profile laptop --set seed=5 --set repetitions=3`. That brings 12 % down to 7 %, and takes about 9 min"},
		{more, was, false, "run it with `--set repetitions=3`. That brings 12 % down to 7 %, and takes about 9 min"},
		{model.Cure{Idle: true}, was, false, "run it again while nothing else runs on the machine. That brings 12 % down to 0 %"},
		{model.Cure{Guests: true, Left: bound.TooLowBy(0.02)}, bound.Unbounded, false, "run it again where the hypervisor gives no CPU to other guests. The answer is then at most about 2 % off"},
	} {
		if got := cureText(a, c.cure, c.was, c.shipped); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
	if text := cureText(a, more, bound.Unbounded, true); strings.Contains(text, "leaves") {
		t.Error(text)
	}
}

// Where a list was worked off, a reader learns how long all of it may take.
func TestABoundOfAListIsInSecondsToo(t *testing.T) {
	a := bounded(1, model.Doubt{Kind: trust.Background, Bound: bound.TooLowBy(1)})
	a.Bound.Figure, a.Bound.Low, a.Bound.High, a.Bound.Unit = 900, 900, 1800, "queries/h"
	a.Study.Work.Unit.Plural = "queries"
	a.Lists = []items.List{{Columns: []items.Column{{Variant: "ssd", Total: stats.Exactly(60)}}}}
	if b := Bounded(a, false); !strings.HasSuffix(b.Text, "That is 900 to 1,800 queries/h: all queries in 30 s to 1 min") && !strings.HasSuffix(b.Text, "all queries in 30 s to 60 s") {
		t.Error(b.Text)
	}
}
