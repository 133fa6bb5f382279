package analysis

import (
	"math"
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// starving is a rung of eight instances. Seven answer in 40 ms and one in 2.9 s, which the
// mean of 55 ms hides.
func starving(of string) *result.Run {
	t := analysistest.Crowd{Instances: 8, Orders: 3000, Slower: 72}.Trial(1)
	t.ID, t.Instances[7].Volumes = "ssd/8/1", []string{"t1-db-007"}
	t.Resources = append(t.Resources, result.ResourceSummary{Machine: "worker-2", Kind: "instance", Name: "db-007", Metric: "cpu", Mean: 0.1})
	t.Variant.Name = "ssd"
	s := &study.Study{Name: "made-up", Application: study.Application{Objectives: analysistest.MeanBelow(0.2), Load: t.Variant.Load}, ObjectivesOf: of}
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
	w := v.Rungs[0].Objectives[0].Worst
	if w == nil || w.Instance != 7 || w.Even != 1./8 || math.Abs(w.Share-0.002) > 5e-4 || w.Machine != "worker-2" || !slices.Equal(w.Volumes, []string{"t1-db-007"}) {
		t.Errorf("the worst is %+v", w)
	}
	f := findingOf(t, a, "fairness")
	if want := (diagnose.Cause{Kind: diagnose.Uneven, Instance: 7}); f == nil || *f.Cause != want || math.Abs(f.Numbers["jain"]-0.88) > 0.005 {
		t.Errorf("fairness: %+v", f)
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
}
