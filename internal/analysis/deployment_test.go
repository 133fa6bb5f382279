package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
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

func deploymentTexts(a *Analysis) (all []string) {
	for _, f := range a.Findings {
		if f.Kind == "deployment" {
			all = append(all, f.Text)
		}
	}
	return all
}

func TestDeploymentsAreNormalisedToBare(t *testing.T) {
	texts := deploymentTexts(deployed(t, 1, 1, 0.9))
	if len(texts) != 1 || !strings.Contains(texts[0], "nothing was repeated") {
		t.Errorf("without repetitions: %q", texts)
	}
	texts = deploymentTexts(deployed(t, 1, 5, 0.9))
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "`ssd-container` has 0.9") && !strings.HasPrefix(texts[0], "`ssd-container` has 0.8") ||
		!strings.Contains(texts[0], "the throughput of `ssd-bare` over 3 common rungs: ") || !strings.Contains(texts[0], "at 4 instances.") {
		t.Errorf("%q", texts)
	}
}

// A cost is only stated where the repetitions carry it, and its interval covers the
// truth.
func TestDeploymentsAreSeldomWronglyToldApart(t *testing.T) {
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
				if !strings.Contains(f.Text, "a difference is not shown") {
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
