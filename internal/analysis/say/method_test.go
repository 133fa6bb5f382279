package say

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// The method mentions fixed work, its optional part, several units, and the time of a
// search.
func TestMethod(t *testing.T) {
	listed := func(t *result.Trial) {
		t.Profile.Fixed, t.Profile.Optional = true, []string{"close"}
		t.Profile.Unit = describe.Unit{Name: "block", Plural: "blocks", Throughput: "MB/s", Seconds: 1}
	}
	run := analysistest.MadeUp(nil,
		analysistest.Sample{Variant: "a", Rung: 1, OPM: 60, Mean: 1, Change: listed}, analysistest.Sample{Variant: "b", Rung: 1, OPM: 60, Mean: 1})
	run.Plan.Within = 4 * time.Minute
	texts := Method(setup.New(run), nil)
	for _, want := range []string{
		"Throughput is committed work in MB/s and OPM over the measured phase, summed over all instances; warm-up and ramp are left out.",
		"The work is fixed: throughput, response times and resources are those of the whole run, until the last user finished; the stonewalled throughput is what was done until the first one had, while all of them were at work.",
		"The search for the load line had 4 min from the start of the run: no trial was begun that would not have ended in it, and the bracket is what was found by then.",
		timeNotCounted(),
		"Throughput includes the time of close. Without: the time that users spent in them is left out.",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("it lacks %q: %q", want, texts)
		}
	}
}

// A run without counts of what threads did says so, and one with them does not.
func TestMethodWithoutTimeProfile(t *testing.T) {
	run := analysistest.MadeUp(nil, analysistest.Sample{Variant: "a", Rung: 1, OPM: 60, Mean: 1})
	for _, c := range []struct {
		time *timeprofile.Breakdown
		want bool
	}{
		{nil, true},
		{&timeprofile.Breakdown{}, true}, // the queues of disks alone
		{&timeprofile.Breakdown{Counted: true}, false},
	} {
		variants := []model.Variant{{Rungs: []rung.Rung{{Time: c.time}}}}
		if got := slices.Contains(Method(setup.New(run), variants), timeNotCounted()); got != c.want {
			t.Errorf("%+v: said %v, want %v", c.time, got, c.want)
		}
	}
}
