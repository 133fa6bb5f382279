package trust

import (
	"slices"
	"testing"

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
		want     string
	}{
		{1000, nil, "", ""},
		{1000, setAside(1, "start"), Note, "1 of 1,000 instances failed and was set aside, as the study tolerates; the figures are those of the other 999, and what failed was not audited: instance 0 on worker-2 before users were at work (its server ended: exit status 1)"},
		{1000, setAside(5, "provision"), Note, "5 of 1,000 instances failed and were set aside, as the study tolerates; the figures are those of the other 995, and what failed was not audited: instance 0 on worker-2 while it got its data (its server ended: exit status 1); instance 3 on worker-2 while it got its data (its server ended: exit status 1); instance 6 on worker-2 while it got its data (its server ended: exit status 1); and 2 more"},
		{1000, []result.Exclusion{{Instance: 7, Stage: "drive", Phase: result.Measure, Reason: "gone"}}, Caution, "1 of 1,000 instances failed and was set aside, as the study tolerates; the figures are those of the other 999, and what failed was not audited: instance 7 in the measured phase (gone)"},
		{1000, []result.Exclusion{{Instance: 7, Member: "shop", Stage: "drive", Phase: result.Warmup, Reason: "gone"}}, Caution, "1 of 1,000 instances failed and was set aside, as the study tolerates; the figures are those of the other 999, and what failed was not audited: instance 7 of shop in the warm-up (gone)"},
		{100, setAside(1, "start"), Caution, ""},
		{10, setAside(1, "start"), Serious, ""},
	} {
		got := doubtAside(nil, &result.Trial{Rung: c.rung, SetAside: c.aside}, trial.Metrics{})
		if c.severity == "" {
			if len(got) > 0 {
				t.Errorf("%+v", got)
			}
			continue
		}
		if len(got) != 1 || got[0].Severity != c.severity || c.want != "" && got[0].Text != c.want {
			t.Errorf("%d of %d: %+v, want %s %q", len(c.aside), c.rung, got, c.severity, c.want)
		}
	}
}

func TestInstancesThatWereSetAsideCountForTheGrade(t *testing.T) {
	texts := warned("set-aside", func(t *result.Trial) { t.Rung, t.SetAside = 100, setAside(1, "start") })
	if !slices.ContainsFunc(texts, func(s string) bool { return len(s) > 0 }) {
		t.Errorf("warnings are %q", texts)
	}
}
