package verdict

import (
	"testing"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// lined is a variant with a line between 4 and 8, measured so often, and what the repetitions leave
// of its bracket.
func lined(name string, times int, low, high float64) model.Variant {
	l := loadline.LoadLine{Rung: 4, Next: 8}
	if l.Count.Value = 5; times > 1 {
		l.Count = stats.Interval{Value: 5, Low: low, High: high, Confidence: 0.95}
	}
	return model.Variant{Name: name, LoadLine: l, Rungs: []rung.Rung{
		{Instances: 4, Repetitions: times, Kept: true, Throughput: stats.Exactly(1)}, {Instances: 8, Repetitions: times, Throughput: stats.Exactly(1)},
	}}
}

// An answer says how often it was measured, and what that leaves open; published figures do not.
func TestHowSureALineIs(t *testing.T) {
	for want, variants := range map[string][]model.Variant{
		"Measured once: chance is not excluded.":          {lined("a", 1, 0, 0)},
		"2 repetitions agree on that.":                    {lined("a", 2, 4, 7.9)},
		"2 repetitions leave open whether `a` carries 8.": {lined("a", 2, 4, 8.5), lined("b", 2, 4, 7)},
		"3 repetitions leave open whether `a` carries 4.": {lined("a", 3, 3.5, 7)},
		"2 to 3 repetitions leave both open.":             {lined("a", 2, 3, 7), lined("b", 3, 4, 9)},
		"2 repetitions leave 4 of 5 lines open.":          {lined("a", 2, 3, 7), lined("b", 2, 4, 9), lined("c", 2, 3, 7), lined("d", 2, 3, 7), lined("e", 2, 4, 7)},
	} {
		a := questioned(variants...)
		if got := sureOfCarried(a, measuredVariants(a.Variants)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		a.Run.Reference = "a paper"
		if got := sureOfCarried(a, measuredVariants(a.Variants)); got != "" {
			t.Errorf("of published results: %q", got)
		}
	}
}

func questioned(variants ...model.Variant) *model.Analysis {
	a := asked()
	a.Variants = variants
	return a
}

// The parts are answered in the order in which the study has them, without those that nothing
// answers; where the measurements do not answer the part of its kind, the load lines do.
func TestPartsAreAnswered(t *testing.T) {
	a := questioned(lined("a", 1, 0, 0))
	a.Variants[0].LoadLine.Why = loadline.ObjectiveMissed
	a.Variants[0].Rungs[1].Objectives = []rung.ObjectiveResult{{Metric: "p95", Limit: 0.2, Value: 0.31}}
	for _, c := range []struct{ asks, want []study.Asked }{
		{[]study.Asked{study.First, study.HowMany, study.Cost, study.Limits}, []study.Asked{study.First, study.HowMany}},
		{[]study.Asked{study.Which, study.First}, []study.Asked{study.HowMany, study.First}},
	} {
		a.Study.Parts = c.asks
		answered := Answer(a)
		var have []study.Asked
		for _, p := range answered.Parts {
			have = append(have, p.Asks)
			if p.Asks == study.First && p.Text != "On `a`, the first limit to break is p95 ≤ 200 ms, at 8 instances: p95 was 310 ms." {
				t.Errorf("%s", p.Text)
			}
		}
		if len(have) != len(c.want) || have[0] != c.want[0] || have[1] != c.want[1] {
			t.Errorf("asked %v: %v, want %v", c.asks, have, c.want)
		}
	}
	if answered := Answer(a); len(answered.Caveats) > 0 {
		t.Errorf("doubts without a reason: %+v", answered.Caveats)
	}
}

// Items differ where their intervals show it.
func TestItemsThatDiffer(t *testing.T) {
	list := items.List{Rows: []items.Row{{Name: "q3"}, {Name: "q7"}}, Changes: []items.ItemChange{{Item: "q3", Shown: items.Same}, {Item: "q7"}}}
	a := &model.Analysis{Lists: []items.List{list}}
	a.Study.Work.Unit = describe.Unit{Plural: "queries"}
	if got, want := itemsDiffer(a), "None of the 2 queries is shown to differ."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	list.Changes[1].Shown = items.Slower
	if got, want := itemsDiffer(a), "1 of 2 queries differ: q7."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What members of tiles take is told as the least and the most of them, for each store.
func TestHowMuchSlowerTilesAre(t *testing.T) {
	tile := func(name string, times ...float64) (one model.Tile) {
		one.Variant = name
		for _, v := range times {
			one.Interference = append(one.Interference, model.Interference{From: 1, To: 4, Mean: stats.Exactly(v)})
		}
		return one
	}
	a := &model.Analysis{Tiles: []model.Tile{tile("raid", 25, 40.2), tile("pool", 1.5, 38), tile("other")}}
	if got, want := slower(a), "A member takes 25 to 40 times as long at 4 tiles as at 1 on `raid` and 1.5 to 38 on `pool`."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
