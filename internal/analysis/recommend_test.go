package analysis

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
)

// The variant that does most is not the answer, nor what to try, where it breaks the objectives.
func TestNothingIsRecommendedThatBreaksItsObjective(t *testing.T) {
	for _, kind := range []study.Kind{study.Effect, study.Comparison, study.Scaling, study.Capacity} {
		for _, breaks := range []bool{true, false} {
			response := analysistest.Constant(0.05)
			if breaks {
				response = analysistest.Constant(0.5)
			}
			run := analysistest.Set{Rungs: []int{2, 6, 12}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.2), Noise: analysistest.Noise{Throughput: 0.01, Response: 0.01}, Variants: []analysistest.Variant{
				{Name: "v1", Factors: map[string]string{"storage": "ssd", "engine.cpu": "1"}, Response: analysistest.Constant(0.05), Throughput: analysistest.Power(1200, 0.9)},
				{Name: "v2", Factors: map[string]string{"storage": "ssd", "engine.cpu": "2"}, Response: response, Throughput: analysistest.Power(2400, 0.9)},
			}}.Run(1)
			run.Plan.Study.Answer = study.Answer{Kind: kind}
			if kind == study.Effect || kind == study.Comparison {
				run.Plan.Study.Answer.Factor = "engine.cpu"
			}
			a, err := Analyse(run, Options{})
			if err != nil {
				t.Fatal(err)
			}
			effect := a.Findings[slices.IndexFunc(a.Findings, func(f Finding) bool { return f.Kind == "effect" })].Text
			if strings.Contains(effect, "the objectives are not met there") != breaks {
				t.Errorf("%s, v2 breaks %v: %s", kind, breaks, effect)
			}
			if first := strings.HasPrefix(a.Headline, "`v2` keeps mean ≤ 200 ms at no rung"); kind != study.Capacity && first != breaks {
				t.Errorf("%s, v2 breaks %v: %s", kind, breaks, a.Headline)
			}
			if best := a.Answers[0].Text; breaks && (a.Ranking[0] != "v1" || !strings.HasPrefix(best, "`v1`")) {
				t.Errorf("%s: %v, %s", kind, a.Ranking, best)
			}
		}
	}
}
