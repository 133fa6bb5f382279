package results

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0.0002615, "s", "262 µs"}, {0, "s", "–"}, {1.5, "s", "1.5 s"},
		{2.548e7, "B", "24.3 MiB"}, {512, "B/s", "512 B/s"}, {0.8844, "1", "0.884"},
		{34420, "1/s", "34,420 1/s"}, {1.769, "cores", "1.77 cores"},
	} {
		if got := quantity(c.value, c.unit); got != c.want {
			t.Errorf("quantity(%v, %q) = %q, want %q", c.value, c.unit, got, c.want)
		}
	}
}

// Each time has the unit that suits it: an operation in memory takes no 0.00 ms.
func TestShowWritesTimesInUnitsThatFit(t *testing.T) {
	var out bytes.Buffer
	s := &command.State{Stdout: &out}
	trial := &result.Trial{
		Part: result.Part{Profile: describe.Profile{Operations: []string{"stat"}}, Operations: map[string]result.OperationSummary{"stat": {Count: 9, Mean: 0.65e-6, P50: 0.61e-6, P95: 1.4e-6, P99: 0.012, Max: 5.01}}},
	}
	showOperations(s, trial)
	for _, want := range []string{"0.65 µs", "0.61 µs", "1.4 µs", "12 ms", "5.01 s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
}

// Response times corrected for a stall are shown along with the recorded ones: a stall hides
// waiting from the users of a closed loop.
func TestShowCorrectsWhatAStallHid(t *testing.T) {
	for _, stalled := range []bool{true, false} {
		l := analysistest.Loop{Instances: 1, Users: 4, Seconds: 12, Service: 0.004}
		if stalled {
			l.Frozen = func(int) (float64, float64) { return 4, 9 }
		}
		run, err := l.Run(filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		for _, asJSON := range []bool{true, false} {
			var out bytes.Buffer
			s := &command.State{Stdout: &out, JSON: asJSON}
			if err := showTrial(s, run, run.ID, run.Trials[0].ID); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), "corrected"); got != stalled {
				t.Errorf("stalled %v, JSON %v: corrected %v in\n%s", stalled, asJSON, got, out.String())
			}
		}
	}
}

// Members have different units, which are shown with their figures.
func TestShowHasTheUnitsOfMembers(t *testing.T) {
	run := analysistest.Tile(study.Ladder{Rungs: []int{1}}, []int{1}, func(string, int) float64 { return 0.1 }, study.Member{Name: "shop", Weight: 1}, study.Member{Name: "mail", Weight: 1})
	run.Trials[1].Profile.Unit = describe.Unit{Name: "message", Plural: "messages", Throughput: "messages/s", Seconds: 1}
	var out bytes.Buffer
	if err := showRun((&command.State{Stdout: &out}), run); err != nil {
		t.Fatal(err)
	}
	for _, r := range apart(run) {
		if u := r.Profile.Unit; !u.Complete() || strings.Count(out.String(), words.Number(r.Throughput())+" "+u.Throughput) != 1 {
			t.Errorf("%s of %s is missing in\n%s", u.Throughput, r.ID, out.String())
		}
	}
}
