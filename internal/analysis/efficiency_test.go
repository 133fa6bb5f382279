package analysis

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// The best rung is the fastest within the objectives, even if others are faster beyond
// them. Its throughput is divided by its own use of resources.
func TestBestIsWithinTheObjectives(t *testing.T) {
	uses := func(cores float64) func(*result.Trial) {
		return func(t *result.Trial) { analysistest.Sampled(t, "cpu", "", "utilisation", cores/8) }
	}
	run := analysistest.MadeUp([]study.Objective{{Metric: "mean", Limit: 0.2, Text: "mean <= 200ms"}},
		analysistest.Sample{Variant: "kept", Rung: 1, OPM: 1000, Mean: 0.1, Change: uses(1)},
		analysistest.Sample{Variant: "kept", Rung: 2, OPM: 1800, Mean: 0.15, Change: uses(3)},
		analysistest.Sample{Variant: "kept", Rung: 4, OPM: 2400, Mean: 0.9, Change: uses(6)},
		analysistest.Sample{Variant: "broken", Rung: 1, OPM: 300, Mean: 0.5, Change: uses(2)},
	)
	run.Plan.Study.Prices = &study.Prices{Currency: "USD", Years: 3, Items: []study.PriceItem{
		{Name: "disk", Kind: "drive", Quantity: 9, Price: 100}, {Name: "server", Kind: "server", Quantity: 1, Price: 8100},
	}}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range a.Variants {
		want := Best{Rung: 2, Kept: true, Throughput: stats.Exactly(1800), Drives: 9, Cores: 3, PerDrive: 200, PerMoney: 200, PerCore: 600}
		if v.Name == "broken" {
			want = Best{Rung: 1, Throughput: stats.Exactly(300), Drives: 9, Cores: 2, PerDrive: 300. / 9, PerMoney: 1000 * 300. / 9000, PerCore: 150}
		}
		if v.Best == nil || *v.Best != want {
			t.Errorf("%s: %+v, want %+v", v.Name, v.Best, want)
		}
	}
}
