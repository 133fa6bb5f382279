package analysistest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/result"
)

// A made-up run that went through files is the run that was made up.
func TestFiledIsTheSameRun(t *testing.T) {
	run := Set{
		Variants: []Variant{{Name: "a", Response: MM1(0.05, 20)}, {Name: "b", Response: Constant(0.1)}},
		Rungs:    []int{2, 8}, Repetitions: 2, Objectives: MeanBelow(0.1), Histograms: true,
	}.Run(1)
	Sampled(run.Trials[0], "cpu", "", "utilisation", 0.5)
	err := InFiles(run, nil, func(filed *result.Run) {
		if len(filed.Problems) > 0 || len(filed.Unfinished) > 0 || len(filed.Trials) != len(run.Trials) {
			t.Fatalf("%v, %v, %d trials", filed.Problems, filed.Unfinished, len(filed.Trials))
		}
		for i, made := range run.Trials {
			read := *filed.Trials[i]
			read.Schema, read.TelemetryChecksum = 0, ""
			if diff := cmp.Diff(made.Operations, read.Operations); read.ID != made.ID || diff != "" || !read.MeasureEnd.Equal(made.MeasureEnd) {
				t.Errorf("%s, %s (-made +read):\n%s", read.ID, made.ID, diff)
			}
		}
		series, err := filed.Series(run.Trials[0])
		if err != nil || len(series) != 3 {
			t.Fatalf("%d series, %v", len(series), err)
		}
		for _, s := range series {
			if s.Kind == "cpu" && (len(s.Values) != int(Measure.Seconds()) || slices.Max(s.Values) != 0.5) {
				t.Errorf("%+v", s)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
