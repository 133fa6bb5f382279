package analysis_test

import (
	"math"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/model"
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

func TestPublishedVideoSpikesAtAThousandStreams(t *testing.T) {
	for _, f := range published(t, "gluster-video").Findings {
		if f.Kind == "spike" {
			if f.Rung != 1000 {
				t.Errorf("spike at %d", f.Rung)
			}
			t.Log(f.Text)
			return
		}
	}
	t.Error("no spike was found")
}

// Both claims of the file study follow from its figures.
func TestPublishedFileRatesReproduceTheirClaims(t *testing.T) {
	best := func(name, variant string) float64 {
		for _, v := range published(t, name).Variants {
			if v.Name == variant {
				return v.Rungs[0].Throughput.Value
			}
		}
		t.Fatalf("%s has no %s", name, variant)
		return 0
	}
	within(t, "replicated over dispersed reads", best("gluster-small", "replicated-raid6-read")/best("gluster-small", "dispersed-jbod-read")-1, 0.81, 0.005)
	within(t, "drive writes of the specification", best("gluster-baseline", "drive-write")/best("gluster-baseline", "drive-specified"), 0.91, 0.005)
	within(t, "drive reads of the specification", best("gluster-baseline", "drive-read")/best("gluster-baseline", "drive-specified"), 0.94, 0.005)
	within(t, "receive offload at 16 KB, local", best("receive-offload", "local-16KB-on")/best("receive-offload", "local-16KB-off")-1, 1.03, 0.02)
}

// The source's proof: sixteen CPUs on the storage nodes lifted the solid-state
// class and not the hard-disk class.
func TestPublishedEffectOfStorageCPU(t *testing.T) {
	want := map[string]model.Outcome{"ssd-16": model.WasLimit, "hdd-16": model.IsNoLimit}
	for _, f := range published(t, "cns-ds2").Findings {
		if f.Kind != "effect" {
			continue
		}
		t.Log(f.Text)
		if f.Outcome != want[f.Variant] {
			t.Errorf("%s: %s", f.Variant, f.Outcome)
		}
		delete(want, f.Variant)
	}
	if len(want) > 0 {
		t.Errorf("no effect of %v", want)
	}
}

func TestCheapestConfigurationThatCarriesTheInstances(t *testing.T) {
	p := published(t, "cns-ds3").Prices
	for instances, want := range map[float64]string{50: "hdd", 107: "hdd", 108: "ssd"} {
		if c, ok := p.Cheapest(instances); !ok || c.Name != want {
			t.Errorf("%v instances: %q", instances, c.Name)
		}
	}
	if c, ok := p.Cheapest(500); ok {
		t.Errorf("500 instances on %q", c.Name)
	}
}
