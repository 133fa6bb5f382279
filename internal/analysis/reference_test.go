package analysis_test

import (
	"math"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/reference"
)

func published(t *testing.T, name string) *analysis.Analysis {
	t.Helper()
	run, err := reference.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The law fitted on the published rungs up to 32 must predict 96 and 128, and
// say by how much it was wrong.
func TestPublishedLaddersPredictTheirLaterRungs(t *testing.T) {
	for _, name := range []string{"cns-ds2", "cns-ds3"} {
		for _, v := range published(t, name).Variants {
			if v.Scalability == nil {
				t.Fatalf("%s %s: no law", name, v.Name)
			}
			seen := map[int]bool{}
			for _, p := range v.Scalability.Errors {
				t.Logf("%s %-6s fitted to %3d: %3d predicted %8.0f measured %8.0f error %+6.1f %%", name, v.Name, p.FittedTo, p.N, p.Predicted, p.Measured, p.Error*100)
				if p.FittedTo == 32 {
					seen[p.N] = true
				}
			}
			t.Log(v.Scalability.Text)
			for _, r := range v.Rungs {
				if r.Instances > 32 && r.Repetitions > 0 && !seen[r.Instances] {
					t.Errorf("%s %s: no prediction of %d from the rungs up to 32", name, v.Name, r.Instances)
				}
			}
		}
	}
}

// The conclusions of the source, within rounding: 1.24 % dearer; 5.4 times
// and 4.6 % more throughput within a second; 81.3 % and 3.2 % better price per
// order.
func TestPublishedPricesReproduceTheConclusions(t *testing.T) {
	for _, c := range []struct {
		name                    string
		total                   [2]float64
		faster, fasterTolerance float64
		gain                    float64
	}{
		{"cns-ds2", [2]float64{638353, 646270}, 5.4, 0.05, 0.813},
		{"cns-ds3", [2]float64{638353, 646270}, 1.046, 0.0005, 0.032},
	} {
		p := published(t, c.name).Prices
		if len(p.Configurations) != 2 {
			t.Fatalf("%s: %d configurations", c.name, len(p.Configurations))
		}
		hdd, ssd := p.Configurations[0], p.Configurations[1]
		if hdd.Name != "hdd" || ssd.Name != "ssd" || hdd.Total != c.total[0] || ssd.Total != c.total[1] {
			t.Errorf("%s: %s %v, %s %v", c.name, hdd.Name, hdd.Total, ssd.Name, ssd.Total)
		}
		within(t, c.name+" dearer", ssd.Total/hdd.Total-1, 0.0124, 0.00005)
		within(t, c.name+" faster", ssd.Throughput/hdd.Throughput, c.faster, c.fasterTolerance)
		within(t, c.name+" price per order", 1-ssd.PerUnit/hdd.PerUnit, c.gain, 0.0005)
		for _, text := range p.Text {
			t.Log(text)
		}
	}
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v within %v", what, got, want, tolerance)
	}
}
