package analysis

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
	"plimsoll/test/quick"
)

// deployed is the analysis of containers that do so many times what bare instances
// do.
func deployed(t *testing.T, seed uint64, repetitions int, factor float64) *Analysis {
	t.Helper()
	throughput := analysistest.Power(1200, 0.9)
	variant := func(d study.Deployment, c analysistest.Curve) analysistest.Variant {
		return analysistest.Variant{Name: "ssd-" + string(d), Factors: map[string]string{"storage": "ssd", "deployment": string(d)}, Response: analysistest.MM1(0.05, 20), Throughput: c}
	}
	a, err := Analyse(analysistest.Set{
		Variants: []analysistest.Variant{variant(study.Bare, throughput), variant(study.Container, throughput.Times(factor, 0))},
		Rungs:    []int{1, 2, 4}, Repetitions: repetitions, Noise: analysistest.Noise{Throughput: 0.01, Response: 0.04},
	}.Run(seed), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDeploymentsAreNormalisedToBare(t *testing.T) {
	f := findingOf(t, deployed(t, 1, 1, 0.9), "deployment")
	if _, bounded := f.Numbers["low"]; bounded {
		t.Errorf("without repetitions: %v", f.Numbers)
	}
	f = findingOf(t, deployed(t, 1, 5, 0.9), "deployment")
	if f.Variant != "ssd-container" || f.Rung != 4 || f.Numbers["times"] < 0.8 || f.Numbers["times"] >= 1 || f.Numbers["high"] >= 1 {
		t.Errorf("%s at %d: %v", f.Variant, f.Rung, f.Numbers)
	}
	for _, at := range []string{"times_at_1", "times_at_2", "times_at_4"} {
		if f.Numbers[at] < 0.8 || f.Numbers[at] >= 1 {
			t.Errorf("%s: %v", at, f.Numbers)
		}
	}
}

// A cost is only stated where the repetitions carry it, and its interval covers the
// truth.
func TestDeploymentsAreSeldomWronglyToldApart(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, factor := range []float64{1, 0.96} {
		covered, shown := 0.0, 0.0
		const sets = 200
		for seed := range uint64(sets) {
			for _, f := range deployed(t, seed, 4, factor).Findings {
				if f.Kind != "deployment" {
					continue
				}
				if f.Numbers["low"] <= factor && factor <= f.Numbers["high"] {
					covered++
				}
				if f.Numbers["low"] > 1 || f.Numbers["high"] < 1 {
					shown++
				}
			}
		}
		t.Logf("%v times: covered %.3f, shown %.3f", factor, covered/sets, shown/sets)
		if covered/sets < 0.9 || factor == 1 && shown/sets > 0.1 || factor < 1 && shown/sets < 0.8 {
			t.Errorf("%v times: covered in %.3f, a difference shown in %.3f of the runs", factor, covered/sets, shown/sets)
		}
	}
}
