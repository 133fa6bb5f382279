package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// starving is a rung of eight of which seven answer in 40 ms and one in 2.9 s, which the
// mean of all (55 ms) hides.
func starving(of string) *result.Run {
	t := analysistest.Crowd{Instances: 8, Orders: 3000, Slower: 72}.Trial(1)
	t.ID, t.Instances[7].Volumes = "ssd/8/1", []string{"t1-db-007"}
	t.Resources = append(t.Resources, result.ResourceSummary{Machine: "worker-2", Kind: "instance", Name: "db-007", Metric: "cpu", Mean: 0.1})
	t.Variant.Name = "ssd"
	s := &study.Study{Name: "made-up", Objectives: analysistest.MeanBelow(0.2), ObjectivesOf: of, Load: t.Variant.Load}
	return &result.Run{ID: "made-up", Plan: &plan.Plan{Study: s}, Machine: &result.Machine{Cores: 8}, Trials: []*result.Trial{t}}
}

func TestAStarvingInstanceBreaksTheRung(t *testing.T) {
	a, err := Analyse(starving(""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := a.Variants[0]
	if v.Rungs[0].Kept || v.LoadLine.Rung != 0 {
		t.Errorf("kept with a starving instance: %+v", v.LoadLine)
	}
	for _, want := range []string{"instance 7", "0.2 % of the orders, where 12 % would be even", "on node worker-2", "on volume t1-db-007"} {
		if text := a.Verdict[0].Text; !strings.Contains(text, want) {
			t.Errorf("the verdict lacks %q: %s", want, text)
		}
	}
	if f := findingOf(a, "fairness"); !strings.Contains(f, "Jain's index was 0.88") || !strings.Contains(f, "as if 7.0 of 8 had shared") {
		t.Errorf("fairness: %q", f)
	}
}

func TestObjectivesOfTheWhole(t *testing.T) {
	a, err := Analyse(starving(study.OfWhole), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !a.Variants[0].Rungs[0].Kept {
		t.Error("the study's objectives are of the whole, which keeps them")
	}
}

func findingOf(a *Analysis, kind string) string {
	for _, f := range a.Findings {
		if f.Kind == kind {
			return f.Text
		}
	}
	return ""
}

// One operation is slow on one instance, which neither its orders nor the operation over
// all show.
func TestASlowOperationOfAnInstanceBreaksTheRung(t *testing.T) {
	run := starving("")
	made := analysistest.Crowd{Instances: 8, Orders: 3000, SlowPart: 30}.Trial(1)
	made.ID, made.Variant.Name = "ssd/8/1", "ssd"
	run.Trials = []*result.Trial{made}
	run.Plan.Study.Objectives = []study.Objective{{Operation: analysistest.Part, Metric: "mean", Limit: 0.1, Text: "purchase mean <= 100ms"}}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Variants[0].Rungs[0]
	if o := r.Objectives[0]; r.Kept || o.Value > o.Limit || o.Worst == nil || o.Worst.Instance != 7 || o.Operation != analysistest.Part {
		t.Errorf("%v: %+v", r.Kept, o)
	}
	if text := a.Verdict[0].Text; !strings.Contains(text, "purchase mean was") || !strings.Contains(text, "on instance 7") {
		t.Error(text)
	}
}
