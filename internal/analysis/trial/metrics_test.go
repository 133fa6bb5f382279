package trial

import (
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// What nothing of a trial accounts for is known where the CPU of all that worked
// for it was sampled: its servers or, where it has none, its drivers.
func TestUnaccountedCPU(t *testing.T) {
	sampled := func(kind, name, metric string, v float64) result.ResourceSummary {
		return result.ResourceSummary{Kind: kind, Name: name, Metric: metric, Mean: v, Max: v}
	}
	busy, driver, server := sampled("cpu", "", "utilisation", 0.9), sampled("driver", "0", "cpu", 2), sampled("instance", "0", "cpu", 1)
	for _, c := range []struct {
		name    string
		variant study.Variant
		sampled []result.ResourceSummary
		share   float64
		known   bool
	}{
		{"volumes alone", study.Variant{}, []result.ResourceSummary{busy, driver}, 0.4, true},
		{"nothing sampled of the drivers", study.Variant{}, []result.ResourceSummary{busy}, 0, false},
		{"servers", study.Variant{Application: study.Application{Engine: study.Engine{Name: "x"}}}, []result.ResourceSummary{busy, driver, server}, 0.15, true},
		{"servers that were not sampled", study.Variant{Application: study.Application{Engine: study.Engine{Name: "x"}}}, []result.ResourceSummary{busy, driver}, 0, false},
		{"a stack that was not sampled", study.Variant{Application: study.Application{Stack: map[string]study.Engine{"db": {Name: "x"}}}}, []result.ResourceSummary{busy, driver}, 0, false},
	} {
		share, known := MetricsOf(&result.Trial{Variant: c.variant, Resources: c.sampled}).Unaccounted(4)
		if known != c.known || share < c.share-1e-9 || share > c.share+1e-9 {
			t.Errorf("%s: %v %v, want %v %v", c.name, share, known, c.share, c.known)
		}
	}
}
