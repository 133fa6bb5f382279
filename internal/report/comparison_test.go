package report

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/sizing"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result/resulttest"
)

// comparisonFixture holds a faster B against A at two rungs.
func comparisonFixture() *compare.Comparison {
	difference := func(n int, operation, metric string, a, b, low, high float64, verdict family.Verdict) family.Difference {
		return family.Difference{
			Variant: "ssd", Instances: n, Operation: operation, Metric: metric, A: estimate(a, 0.02), B: estimate(b, 0.02),
			Change: stats.Interval{Value: b/a - 1, Low: low, High: high, Confidence: 0.95}, P: 0.008, NA: 5, NB: 5, Verdict: verdict,
		}
	}
	return &compare.Comparison{
		A: "before", B: "after", Unit: "OPM", Work: resulttest.Shop(), Noun: "instance", Alpha: 0.05, Verdict: family.Better,
		Text: "after is better than before: throughput +12 % at 32 instances.", GradeA: "A", GradeB: "C",
		Differs:   []string{"engine.memory: 256MiB against 512MiB"},
		Undecided: []string{"browse p99 > +10%: browse p99 at 32 instances +2.5 % (−20.0 to +30.0); with 5 and 5 repetitions it may or may not hold"},
		Differences: []family.Difference{
			difference(8, "order", "throughput", 11800, 11850, -0.01, 0.02, family.NoDifference),
			difference(8, "order", "p95", 0.012, 0.0121, -0.03, 0.05, family.NoDifference),
			difference(32, "order", "throughput", 37500, 42000, 0.1, 0.14, family.Better),
			difference(32, "order", "p95", 0.0229, 0.0181, -0.24, -0.17, family.Better),
			difference(32, "login", "p95", 0.004, 0.005, 0.2, 0.3, family.Worse),
			difference(32, "browse", "p99", 0.004, 0.0041, -0.2, 0.3, family.Untested),
		},
		Failed:   []string{"login p95 at 32 instances rose by 25 %; the limit is 5 %"},
		Warnings: []trust.Warning{{Severity: "caution", Text: "The kernels differ: 6.1 and 6.6."}},
	}
}

func sizingFixture() *sizing.Sizing {
	line := estimate(130, 0.1)
	return &sizing.Sizing{
		Demand: &sizing.Demand{Name: "shops", Instances: 120, Currency: "USD"},
		Text:   []string{"120 databases of 40 GB need 8.3 TB after three years."},
		Proposals: []sizing.Proposal{
			{
				Server: "standard", Protection: "replicated 2", Nodes: 4, Drives: 48, Raw: 48e12, Usable: 20e12, LoadLine: &line, Price: 212000,
				PerInstance: 1767, Recommended: true,
				Rules: []sizing.FiredRule{{Rule: "minimum", Text: "replicated pools have at least four nodes", Source: "sizing guide, page 12"}},
			},
			{Server: "dense", Protection: "disperse 4+2", HotTier: true, Nodes: 6, Drives: 144, Raw: 144e12, Usable: 96e12, Price: 480000},
		},
		Rejected: []sizing.Rejection{{Server: "dense", Protection: "replicated 2", Rule: sizing.FiredRule{Text: "dense servers only above a petabyte", Source: "sizing guide, page 14"}}},
		Warnings: []trust.Warning{{Severity: "note", Text: "The load line was measured on three nodes."}},
	}
}

func TestComparison(t *testing.T) {
	for name, width := range map[string]int{"phone": 40, "narrow": 60, "wide": 120} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Comparison(&out, comparisonFixture(), width); err != nil {
				t.Fatal(err)
			}
			within(t, out.String(), width)
			golden(t, "comparison-"+name+".txt", out.Bytes())
		})
	}
}

func TestSizing(t *testing.T) {
	for name, width := range map[string]int{"phone": 40, "narrow": 60, "wide": 120} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Sizing(&out, sizingFixture(), width); err != nil {
				t.Fatal(err)
			}
			within(t, out.String(), width)
			golden(t, "sizing-"+name+".txt", out.Bytes())
		})
	}
}

// TestComparisonInShape: a comparison with a published result is a table of ratios, not of
// changes.
func TestComparisonInShape(t *testing.T) {
	c := &compare.Comparison{
		A: "ours", B: "reference/x", Noun: "stream", Verdict: compare.InShape, Text: "Compared in shape.",
		Shape: []compare.Likeness{{VariantA: "a", VariantB: "b", At: "8 streams", To: "1 stream", A: 6.4, B: 7.2, Off: 0.125, ResponseA: 1.1, ResponseB: 1.3}},
	}
	for _, width := range []int{120, 60, 40} {
		var out bytes.Buffer
		if err := Comparison(&out, c, width); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"8 streams", "6.4", "7.2", "+12 %"} {
			if text := out.String(); !strings.Contains(text, want) || strings.Contains(text, "Change from A to B") {
				t.Errorf("%d columns: no %q, or a table of changes:\n%s", width, want, text)
			}
		}
	}
}
