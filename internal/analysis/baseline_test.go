package analysis

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// moving is a made-up trial of an operation, so many units of a million bytes a
// minute.
func moving(variant, operation string, opm float64, unit describe.Unit) analysistest.Sample {
	return analysistest.Sample{Variant: variant, Rung: 1, OPM: opm, Mean: 0.1, Change: func(t *result.Trial) {
		t.Variant.Factors = map[string]string{"storage": "x", "workload.parameters.operation": operation, "workload.parameters.file_size": variant}
		t.Profile.Unit = unit
		t.Storage.Drives, t.Storage.Rated = 2, 20e6
		o := t.Operations["order"]
		o.Bytes = o.Count * 1e6
		t.Operations["order"] = o
	}}
}

// A throughput is a share of the fastest that the baseline did of the same
// operation, and of what the drives' maker promises.
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
		"4KB": {Run: "made-up", Variant: "x, 2GB, write", Throughput: 40, Unit: "MB/s", Share: 0.25, Remark: "file_size 4KB here and 2GB there"},
		"4MB": {Run: "made-up", Variant: "x, 3GB, read", Throughput: 20, Unit: "MB/s", Share: 1, Remark: "file_size 4MB here and 3GB there"},
		"8MB": nil,
	}
	rated := map[string]float64{"4KB": 0.25, "4MB": 0.5, "8MB": 0.025}
	for _, v := range a.Variants {
		f, w := v.Best.Baseline, want[v.Name]
		if (f == nil) != (w == nil) || f != nil && *f != *w {
			t.Errorf("%s: %+v, want %+v", v.Name, f, w)
		}
		if v.Best.Rated != rated[v.Name] {
			t.Errorf("%s does %v of what the maker says, want %v", v.Name, v.Best.Rated, rated[v.Name])
		}
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
