package analysis

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
	"plimsoll/internal/unit"
)

// What is said to raise a grade does: measured so, the same loop has that grade or a better
// one.
func TestWhatRaisesAGradeDoes(t *testing.T) {
	measured := func(seconds, repetitions int) *Analysis {
		l := analysistest.Loop{Instances: 1, Users: 4, Seconds: seconds, Service: 0.01}
		l.Objectives = []study.Objective{{Metric: "p99", Limit: 1, Text: "p99 <= 1s"}}
		run, err := l.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		run.Plan.Study.Phases.Measure = unit.Duration(time.Duration(seconds) * time.Second)
		for n := 1; n < repetitions; n++ {
			again := *run.Trials[0]
			again.Repetition, again.ID = n+1, strings.TrimSuffix(again.ID, "1")+string(rune('1'+n))
			run.Trials = append(run.Trials, &again)
		}
		return analyse(t, run)
	}
	short := measured(6, 1)
	if short.Raise == nil {
		t.Fatalf("grade %s: nothing raises it: %+v", short.Grade, short.Warnings)
	}
	if want := []string{"phases.measure=10s", "repetitions=3"}; !slices.Equal(short.Raise.Set, want) || short.Raise.Idle {
		t.Errorf("%+v", short.Raise)
	}
	raised := measured(10, 3)
	if raised.Grade > short.Raise.To {
		t.Errorf("measured so, the grade is %s, not %s: %+v", raised.Grade, short.Raise.To, raised.Warnings)
	}
	if raised.Grade == "A" && raised.Raise != nil {
		t.Errorf("an A is to be raised: %+v", raised.Raise)
	}
}
