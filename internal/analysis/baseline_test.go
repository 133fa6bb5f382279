package analysis

import (
	"math"
	"reflect"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/test/quick"
)

// moving is a made-up trial of an operation, so many units of a million bytes a
// minute.
func moving(variant, operation string, opm float64, unit describe.Unit) analysistest.Sample {
	return analysistest.Sample{Variant: variant, Rung: 1, OPM: opm, Mean: 0.1, Change: func(t *result.Trial) {
		t.Variant.Factors = map[string]string{"storage": "x", "workload.parameters.operation": operation, "workload.parameters.file_size": variant}
		t.Profile.Unit = unit
		t.Storage().Drives, t.Storage().Rated = 2, 20e6
		o := t.Operations["order"]
		o.Bytes = o.Count * 1e6
		t.Operations["order"] = o
	}}
}

// A throughput is a share of the baseline's fastest for the same operation, and of the
// drives' rated throughput.
func TestThroughputIsAShareOfTheBaseline(t *testing.T) {
	files := describe.Unit{Name: "file", Plural: "files", Throughput: "files/s", Seconds: 1}
	bytes := describe.Unit{Name: "block", Plural: "blocks", Throughput: "MB/s", Seconds: 1, Bytes: true}
	run := analysistest.MadeUp(nil, moving("4KB", "write", 600, files), moving("4MB", "read", 1200, bytes), moving("8MB", "rename", 60, bytes))
	baseline := analysistest.MadeUp(nil, moving("1GB", "write", 1200, bytes), moving("2GB", "write", 2400, bytes), moving("3GB", "read", 1200, bytes))
	a, err := Analyse(run, Options{Baseline: baseline})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*Fraction{
		"4KB": {Run: "made-up", Variant: "2GB, write", Throughput: 40, Unit: "MB/s", Share: 0.25, Remark: "file_size 4KB here and 2GB there"},
		"4MB": {Run: "made-up", Variant: "3GB, read", Throughput: 20, Unit: "MB/s", Share: 1, Remark: "file_size 4MB here and 3GB there"},
		"8MB": nil,
	}
	rated := map[string]float64{"4KB": 0.25, "4MB": 0.5, "8MB": 0.025}
	for _, v := range a.Variants {
		f, w := v.Best.Baseline, want[v.Name]
		if w != nil {
			w.Shares = stats.Exactly(w.Share)
		}
		if f != nil {
			f.Differs = nil // as the remark says
		}
		if !reflect.DeepEqual(f, w) {
			t.Errorf("%s: %+v, want %+v", v.Name, f, w)
		}
		if v.Best.Rated != rated[v.Name] {
			t.Errorf("%s does %v of what the maker says, want %v", v.Name, v.Best.Rated, rated[v.Name])
		}
	}
}

// With repetitions, fractions have intervals, which share one family-wise level across
// variants.
func TestFractionsShareALevel(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	made := func(repetitions int, names ...string) analysistest.Set {
		s := analysistest.Set{Rungs: []int{1}, Repetitions: repetitions, Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02}}
		for _, name := range names {
			s.Variants = append(s.Variants, analysistest.Variant{Name: name, Response: analysistest.Constant(0.1), Throughput: analysistest.Constant(600)})
		}
		return s
	}
	const variants = 4
	wrong := analysistest.Share(200, func(seed uint64) bool {
		a, err := Analyse(made(4, "a", "b", "c", "d").Run(2*seed), Options{Baseline: made(4, "x").Run(2*seed + 1)})
		if err != nil {
			t.Error(err)
			return false
		}
		for _, v := range a.Variants {
			i := v.Best.Baseline.Shares
			if math.Abs(i.Confidence-(1-0.05/variants)) > 1e-9 {
				t.Errorf("%+v", i)
			}
			if i.Low > 1 || i.High < 1 {
				return true
			}
		}
		return false
	})
	if wrong > 0.05 {
		t.Errorf("of %d fractions that are 1, one is said not to be in %.1f %%", variants, 100*wrong)
	}
}

func TestABaselineWithNothingInItIsAWarning(t *testing.T) {
	a, err := Analyse(analysistest.MadeUp(nil, analysistest.Sample{Variant: "a", Rung: 1, OPM: 60, Mean: 1}), Options{Baseline: &result.Run{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range a.Warnings {
		if w.Kind == "baseline" {
			return
		}
	}
	t.Errorf("warnings are %+v", a.Warnings)
}
