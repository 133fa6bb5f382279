package answer

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/setup"
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
	texts := Method(setup.New(run))
	for _, want := range []string{
		"Throughput is committed work in MB/s and OPM over the measured phase, summed over all instances; warm-up and ramp are left out.",
		"The work is fixed: throughput, response times and resources are those of the whole run, until the last user finished; the stonewalled throughput is what was done until the first one had, while all of them were at work.",
		"The search for the load line had 4 min from the start of the run: no trial was begun that would not have ended in it, and the bracket is what was found by then.",
		"Throughput includes the time of close. Without: the time that users spent in them is left out.",
	} {
		if !slices.Contains(texts, want) {
			t.Errorf("it lacks %q: %q", want, texts)
		}
	}
}
