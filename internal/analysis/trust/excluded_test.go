package trust

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/result"
)

// setAside are so many instances of a trial that were set aside.
func setAside(n int, stage string) (all []result.Exclusion) {
	for i := range n {
		all = append(all, result.Exclusion{Instance: 3 * i, Node: "worker-2", Stage: stage, Reason: "its server ended: exit status 1\nPANIC: out of luck"})
	}
	return all
}

func TestInstancesThatWereSetAside(t *testing.T) {
	for _, c := range []struct {
		rung     int
		aside    []result.Exclusion
		severity Severity
	}{
		{1000, nil, ""},
		{1000, setAside(1, "start"), Note},
		{1000, setAside(5, "provision"), Note},
		{1000, []result.Exclusion{{Instance: 7, Stage: "drive", Phase: result.Measure, Reason: "gone"}}, Caution},
		{1000, []result.Exclusion{{Instance: 7, Member: "shop", Stage: "drive", Phase: result.Warmup, Reason: "gone"}}, Caution},
		{100, setAside(1, "start"), Caution},
		{10, setAside(1, "start"), Serious},
	} {
		got := doubtAside(nil, &result.Trial{Rung: c.rung, SetAside: c.aside}, trial.Metrics{})
		if c.severity == "" {
			if len(got) > 0 {
				t.Errorf("%+v", got)
			}
			continue
		}
		if len(got) != 1 || got[0].Severity != c.severity {
			t.Errorf("%d of %d: %+v, want %s", len(c.aside), c.rung, got, c.severity)
		}
	}
}

func TestInstancesThatWereSetAsideCountForTheGrade(t *testing.T) {
	run := analysistest.MadeUp(analysistest.MeanBelow(1), analysistest.Sample{Variant: "a", Rung: 1, OPM: 1200, Mean: 0.1, Change: func(t *result.Trial) {
		t.Rung, t.SetAside = 100, setAside(1, "start")
	}})
	if warnings := Sift(run).Doubts(); !slices.ContainsFunc(warnings, func(w Warning) bool { return w.Kind == Excluded }) {
		t.Errorf("warnings are %+v", warnings)
	}
}
