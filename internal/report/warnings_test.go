package report

import (
	"testing"

	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/trust"
)

func TestWarningsOfOneKindAreSaidOnce(t *testing.T) {
	late := func(trial string, severity trust.Severity, seconds float64) trust.Warning {
		return trust.Warn(trust.Clock, severity, trust.ClockMoved, trust.Name("clock"), trust.Seconds(seconds)).Of(trial)
	}
	warnings := []trust.Warning{
		late("a/1/1", trust.Caution, 6), late("a/2/1", trust.Caution, 9), late("a/2/1", trust.Serious, 60),
		trust.Warn(trust.Running, trust.Note, trust.RunningSoFar),
	}
	warning.Write(warnings)
	const rest = " against the monotonic one during the trial: samples of other machines may be misaligned with the load"
	want := []string{
		"the wall clock moved by 60 s" + rest + " (a/2/1)",
		"the wall clock moved by 6 s" + rest + " (a/1/1; likewise, with other figures, in 1 more trial)",
		"the run goes on: this is what it has measured so far",
	}
	groups := warning.Groups(warnings)
	if len(groups) != len(want) {
		t.Fatalf("%d groups: %+v", len(groups), groups)
	}
	for i, g := range groups {
		if got := warningText(g, nil); got != want[i] {
			t.Errorf("%q, want %q", got, want[i])
		}
	}
	if want := "the wall clock moved by 6 to 9 s" + rest; groups[1].Text != want {
		t.Errorf("%q, want %q", groups[1].Text, want)
	}
}
