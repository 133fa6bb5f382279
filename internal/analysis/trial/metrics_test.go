package trial

import (
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Code of strangers shows beside servers that spend most of their CPU in the kernel.
func TestUserCPUOfOthers(t *testing.T) {
	sampled := func(kind, metric string, v float64) result.ResourceSummary {
		return result.ResourceSummary{Kind: kind, Metric: metric, Mean: v, Max: v}
	}
	server := []result.ResourceSummary{sampled("cpu", "user", 0.5), sampled("driver", "cpu", 0.5), sampled("instance", "cpu", 2)}
	variant := study.Variant{Application: study.Application{Engine: study.Engine{Name: "x"}}}
	beyond := func(more ...result.ResourceSummary) float64 {
		return MetricsOf(&result.Trial{Variant: variant, Resources: append(server, more...)}).UserBeyond(4)
	}
	if share := beyond(); share != 0 {
		t.Errorf("the servers' CPU may all be outside the kernel, and others have %g", share)
	}
	if share := beyond(sampled("instance", "cpu_user", 0.5), sampled("driver", "cpu_user", 0.3)); share < 0.29 || share > 0.31 {
		t.Errorf("2 cores, less 0.8 of their own, of 4: %g, want 0.3", share)
	}
}

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
