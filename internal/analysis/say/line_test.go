package say

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

func TestTheLineInWords(t *testing.T) {
	kept, broken := rung.Rung{Instances: 8, Repetitions: 3, Kept: true}, rung.Rung{Instances: 32, Repetitions: 3, Objectives: []rung.ObjectiveResult{{Text: "mean <= 1s"}}}
	failing := rung.Rung{Instances: 32, Repetitions: 2, Failed: 1}
	failing.Break.Failed = &result.Trial{Failure: &result.Failure{Stage: "drive", Cause: "the server ended"}}
	failed := rung.Rung{Instances: 32, Failed: 1}
	bracket := stats.Interval{Value: 20, Low: 8, High: 31, Confidence: stats.Confidence}
	wide := stats.Interval{Value: 8, Low: 4, High: 15, Confidence: stats.Confidence}
	for _, c := range []struct {
		line  loadline.LoadLine
		rungs []rung.Rung
		want  string
	}{
		{loadline.LoadLine{Rung: 8, Open: true, Count: stats.Exactly(8)}, []rung.Rung{kept},
			"every rung up to 8 instances (3 trials) met the objectives: the load line is at 8 or above; nothing was repeated, so its uncertainty is unknown"},
		{loadline.LoadLine{Rung: 8, Next: 32, Count: bracket, Why: loadline.ObjectiveMissed}, []rung.Rung{kept, broken},
			"8 instances (3 trials) met the objectives and 32 (3 trials) did not (mean <= 1s); interpolated, the load line is 20"},
		{loadline.LoadLine{Next: 32, Count: bracket, Why: loadline.ObjectiveMissed}, []rung.Rung{broken},
			"32 instances (3 trials) did not meet the objectives (mean <= 1s), and no smaller rung was measured"},
		{loadline.LoadLine{Rung: 8, Next: 32, Count: wide, Why: loadline.ObjectiveMissed, Unstable: true}, []rung.Rung{kept, broken},
			"8 instances (3 trials) met the objectives and 32 (3 trials) did not (mean <= 1s); the repetitions are consistent with any load line from 4 to 15; a larger rung met the objectives again, so the load line is unstable: repeat these rungs"},
		{loadline.LoadLine{Rung: 8, Next: 32, Count: stats.Interval{Value: 8, Low: 8, High: 31, Confidence: stats.Confidence}, Why: loadline.RungBroke}, []rung.Rung{kept, failing},
			"8 instances (3 trials) met the objectives and 32 (3 trials, 1 of them failed) did not (1 of 3 trials failed: the server ended (stage: drive))"},
		{loadline.LoadLine{Rung: 8, Next: 32, Count: stats.Interval{Value: 8, Low: 8, High: 31, Confidence: stats.Confidence}, Why: loadline.EveryTrialFailed}, []rung.Rung{kept, failed},
			"8 instances (3 trials) met the objectives and 32 (1 failed trial) did not (every trial failed)"},
		{loadline.LoadLine{Why: loadline.EveryTrialFailed}, nil, "every trial of this variant failed"},
	} {
		if got, _ := Line(c.line, c.rungs, "instance"); got.Text != c.want {
			t.Errorf("got  %s\nwant %s", got.Text, c.want)
		}
	}
}

func TestHowFarARungFellBehind(t *testing.T) {
	orders := describe.Unit{Name: "order", Plural: "orders"}
	for want, s := range map[string]rung.Shortfall{
		"0.4 % of the offered rate was achieved, and up to 600,000 orders were waiting at the end": {Achieved: 0.004, Waiting: 600000, Unit: orders, Trials: 3},
		"84 % of the offered rate was achieved, and 1 order was waiting at the end":                {Achieved: 0.84, Waiting: 1, Unit: orders, Trials: 1},
		"0.4 % of the offered rate was achieved":                                                   {Achieved: 0.004, Unit: orders, Trials: 3},
	} {
		if got := shortfallText(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBracketInFigures(t *testing.T) {
	for want, r := range map[string]loadline.Reach{
		"8–15": {Extent: loadline.Between, Low: 8, High: 15}, "8": {Extent: loadline.Exactly, Low: 8}, "≥ 1,024": {Extent: loadline.AtLeast, Low: 1024},
		"< 4": {Extent: loadline.FewerThan, High: 4}, "not shown": {Extent: loadline.NotShown}, "not measured": {},
	} {
		if got := BracketText(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
