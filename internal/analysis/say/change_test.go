package say

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
)

// twoVariants is an analysis of two levels of a factor at some rungs, without trials: each
// has a throughput for each instance.
func twoVariants(path string, levels [2]string, each [2]float64, rungs ...int) *model.Analysis {
	a := &model.Analysis{}
	for i, level := range levels {
		v := model.Variant{Name: "v" + level, Factors: map[string]string{path: level}}
		v.Work.Unit = describe.Unit{Name: "order", Plural: "orders", Throughput: "OPM"}
		for _, n := range rungs {
			v.Rungs = append(v.Rungs, rung.Rung{Instances: n, Repetitions: 1, Throughput: stats.Exactly(each[i] * float64(n)), Kept: true})
		}
		a.Variants = append(a.Variants, v)
	}
	return a
}

// with adds trials that repeat each rung, spread so far about its throughput.
func with(a *model.Analysis, repetitions int, spread float64) *model.Analysis {
	for _, v := range a.Variants {
		for _, r := range v.Rungs {
			for n := range repetitions {
				off := spread * (float64(n) - float64(repetitions-1)/2)
				a.Trials = append(a.Trials, model.TrialInfo{Variant: v.Name, Rung: r.Instances, Status: "passed", Throughput: r.Throughput.Value * (1 + off)})
			}
		}
	}
	return a
}

func TestWhatRaisingAFactorProves(t *testing.T) {
	for _, c := range []struct {
		name        string
		more        float64
		repetitions int
		want        string
	}{
		{"more", 1.5, 3, ": the CPU of each instance was the limit before."},
		{"as much", 1, 3, ": the CPU of each instance is not the limit."},
		{"once", 1.5, 1, ": nothing was repeated, so whether the CPU of each instance is the limit is undecided."},
	} {
		a := with(twoVariants("engine.cpu", [2]string{"1", "2"}, [2]float64{100, 100 * c.more}, 2, 4), c.repetitions, 0.01)
		raises := pairwise.Raises(a)
		if len(raises) != 1 {
			t.Fatalf("%d raises", len(raises))
		}
		if f := EffectFinding(raises[0], "instance"); !strings.HasPrefix(f.Text, "Raising engine.cpu from 1 to 2 takes `v2` at 4 instances from 400 to ") || !strings.HasSuffix(f.Text, c.want) {
			t.Errorf("%s: %s", c.name, f.Text)
		}
	}
}

func TestWhatAnExperimentProves(t *testing.T) {
	for _, c := range []struct {
		times  float64
		change model.Change
		want   string
		ends   string
	}{
		{0.5, model.Change{Expect: "worse"}, "Confirmed: with engine.cpu at 1 instead of 2, throughput at 8 went from 800 to 400 OPM, ", "; the finding predicts worse."},
		{1.5, model.Change{Expect: "worse"}, "Refuted: with ", "; the finding predicts worse."},
		{0.93, model.Change{Expect: "worse"}, "Undecided: with ", "; the finding predicts worse."},
		{1, model.Change{Expect: "same"}, "Confirmed: with ", "; the finding predicts about the same."},
		{1.5, model.Change{Expect: "better", Beside: true}, "It helps: with ", ")."},
		{0.5, model.Change{Expect: "better", Beside: true}, "It does not help: with ", ")."},
	} {
		c.change.Path, c.change.From, c.change.To, c.change.Rungs = "engine.cpu", "2", "1", []int{8}
		after := with(twoVariants("engine.cpu", [2]string{"2", "1"}, [2]float64{100, 100 * c.times}, 8), 3, 0.02)
		f, err := Confirm(model.Finding{ID: "x", Change: &c.change}, after)
		if err != nil || !strings.HasPrefix(f.Text, c.want) || !strings.HasSuffix(f.Text, c.ends) {
			t.Errorf("%v times, %+v: %s, %v", c.times, c.change, f.Text, err)
		}
		c.change.Predictions = []model.ChangePrediction{{Metric: model.OfThroughput, Value: stats.Exactly(1234)}}
		if f, err := Confirm(model.Finding{ID: "x", Change: &c.change}, after); err != nil || !strings.Contains(f.Text, " With engine.cpu at 1 instead of 2, 1,234 OPM at 8 was predicted, and ") || strings.Contains(f.Text, "the finding predicts") {
			t.Errorf("%+v: %s, %v", c.change, f.Text, err)
		}
	}
}

func TestWhatADeploymentCosts(t *testing.T) {
	for _, c := range []struct {
		times       float64
		repetitions int
		begins, has string
	}{
		{0.9, 3, "`vcontainer` has 0.90 × (0.8", " the throughput of `vbare` over 3 common rungs: 0.90 ×"},
		{1, 3, "`vcontainer` has 1.00 × (0.9", "; a difference is not shown: "},
		{0.9, 1, "`vcontainer` has 0.90 ×", "; whether that is more than chance is undecided, because there are too few repetitions: "},
	} {
		a := with(twoVariants("deployment", [2]string{"bare", "container"}, [2]float64{100, 100 * c.times}, 1, 2, 4), c.repetitions, 0.01)
		all := pairwise.Deployments(a)
		if len(all) != 1 {
			t.Fatalf("%d deployments", len(all))
		}
		if f := DeploymentFinding(all[0], "instance"); !strings.HasPrefix(f.Text, c.begins) || !strings.Contains(f.Text, c.has) || !strings.HasSuffix(f.Text, " at 4 instances.") {
			t.Errorf("%v times, %d repetitions: %s", c.times, c.repetitions, f.Text)
		}
	}
}
