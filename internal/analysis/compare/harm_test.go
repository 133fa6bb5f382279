package compare

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/stats"
)

// Metrics outside the verdict that became worse are reported with it, the worst first.
func TestTheHarmIsTold(t *testing.T) {
	change := func(v, low, high float64) stats.Interval {
		return stats.Interval{Value: v, Low: low, High: high, Confidence: stats.Confidence}
	}
	of := func(metric string, change stats.Interval, v family.Verdict) family.Difference {
		return family.Difference{Instances: 8, Operation: "order", Metric: metric, Change: change, Verdict: v}
	}
	faster := change(0.18, 0.15, 0.21)
	c := &Comparison{A: "old", B: "new", Noun: "instance", Alpha: 0.05, Work: analysistest.Orders(),
		Questions:   []family.Question{{Operation: "order", Metric: "throughput", Rungs: 1, Change: faster, P: 0.001, Verdict: family.Better}},
		Differences: []family.Difference{of("throughput", faster, family.Better), of("p50", change(-0.1, -0.12, -0.08), family.Better)}}
	if got := c.verdictSentence(family.Better); strings.Contains(got, "worse") {
		t.Error(got)
	}
	c.Differences = append(c.Differences, of("p90", change(0.2, 0.1, 0.3), family.Worse), of("p99", change(3, 2.5, 3.6), family.Worse))
	want := "`new` is better than `old`: throughput +18.0 % (+15.0 to +21.0) at 8 instances, but worse in p99 at 8 instances +300.0 % (+250.0 to +360.0) and, by less, in 1 other figure."
	if got := c.verdictSentence(family.Better); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
