package campaign_test

import (
	"slices"
	"testing"

	"plimsoll/internal/result"
)

// faultsOf are the events of a trial's faults.
func faultsOf(trial *result.Trial) []result.Event {
	return slices.DeleteFunc(slices.Clone(trial.Events), func(e result.Event) bool { return e.Fault == "" })
}

// Every fault is named in its event, which says when its effect was over.
func TestFaultsSayWhenTheyWereOver(t *testing.T) {
	for name, c := range map[string]struct {
		actions []string
		over    []string // what ends each of them, in the words of its event; empty for repairs
	}{
		"an instance":                  {[]string{"kill instance 0"}, []string{"instance 0 answers again"}},
		"a role":                       {[]string{"kill instance 1 web"}, []string{"role web of instance 1 answers again"}},
		"servers, by the platform":     {[]string{"evict 1"}, []string{`instance 1 answers again`}},
		"servers without a place":      {[]string{"drain", "undrain"}, []string{`answers again`, ""}},
		"storage, repaired after load": {[]string{"break"}, []string{"healed: full redundancy"}},
		"storage, repaired":            {[]string{"break", "fix"}, []string{"healed: full redundancy", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, disturbed(c.actions...), func(r *runs) {
				r.options.ErrorLimit = 1
				trial := r.finishes()[0]
				passed(r.t, trial)
				faults := faultsOf(trial)
				if len(faults) != len(c.actions) {
					r.t.Fatalf("faults %+v, want %q", faults, c.actions)
				}
				for i, f := range faults {
					if f.Fault != c.actions[i] || f.Repairs != (c.over[i] == "") || f.Until.IsZero() != f.Repairs {
						r.t.Errorf("fault %d: %+v", i, f)
					}
					if end := eventOf(trial, c.over[i]); !f.Repairs && (end < 0 || f.Until.Before(f.At) || lastEnd(trial, c.over[i]).At.Sub(f.Until).Abs() > 0) {
						r.t.Errorf("%q was over at %s: %+v", f.Fault, f.Until, trial.Events)
					}
				}
			})
		})
	}
}

// lastEnd is the last event with a text; simulated time stands still in between.
func lastEnd(trial *result.Trial, text string) (last result.Event) {
	for i, e := range trial.Events {
		if eventOf(&result.Trial{Events: trial.Events[i : i+1]}, text) == 0 {
			last = e
		}
	}
	return last
}
