package analysis

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/test/quick"
)

// A made-up run has the same analysis from files as in memory, so that what truth tables count
// in memory holds of runs that are read.
func TestFiledRunsHaveTheSameAnalysis(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	two := []analysistest.Variant{{Name: "a", Response: analysistest.MM1(0.05, 24)}, {Name: "b", Response: analysistest.Knee(0.04, 8)}}
	noise := analysistest.Noise{Throughput: 0.05, Response: 0.05}
	tenant := func(name string, at float64) analysistest.Tenant {
		return analysistest.Tenant{Member: study.Member{Name: name, Weight: 1, Application: study.Application{Objectives: analysistest.MeanBelow(0.2)}}, OPM: 5000, Mean: 0.2 / at, Alone: 0.1 / at, Grows: 1, Falls: 0.4}
	}
	for name, run := range map[string]*result.Run{
		"ladder":  analysistest.Set{Variants: two, Rungs: []int{1, 2, 4, 8, 16}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.1), Noise: noise}.Run(3),
		"tenants": analysistest.Tenants([]int{1, 2, 4}, 2, noise, 3, tenant("x", 3), tenant("y", 12)),
	} {
		t.Run(name, func(t *testing.T) {
			memory := analysedJSON(t, run)
			err := analysistest.InFiles(run, nil, func(filed *result.Run) {
				filed.ID = run.ID
				if diff := cmp.Diff(memory, analysedJSON(t, filed)); diff != "" {
					t.Errorf("(-in memory +from files):\n%s", diff)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// analysedJSON is the analysis of a run as JSON, without facts that only files can give.
func analysedJSON(t *testing.T, run *result.Run) map[string]any {
	t.Helper()
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "run")
	delete(out, "machine")
	return out
}
