package campaign_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// disturbed is one trial of two instances with faults, a second apart.
func disturbed(actions ...string) *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{Web: true, Stateless: true})
	p := campaigntest.Plan([]study.Variant{v}, []int{2}, 1)
	p.Study.Phases.Measure = seconds(len(actions) + 3)
	for n, do := range actions {
		p.Study.Faults = append(p.Study.Faults, study.Event{At: seconds(n + 1), Do: do})
	}
	return p
}

// starts says how often each server of the trial was started before the load ended.
func (r *runs) starts() map[string]int {
	times := map[string]int{}
	for _, c := range r.Calls("") {
		switch {
		case c.Method == "Observer.Stop":
			return times
		case c.Method == "Start" && strings.HasPrefix(c.Name, "t1-"):
			times[c.Name]++
		}
	}
	return times
}

func eventOf(trial *result.Trial, text string) int {
	return slices.IndexFunc(trial.Events, func(e result.Event) bool { return strings.Contains(e.Text, text) })
}

// What a fault of the platform ends comes back; the others go on, and all that was
// acknowledged is there.
func TestServersThatThePlatformEndsComeBack(t *testing.T) {
	for do, want := range map[string][]string{
		"evict instance 1 db": {"t1-db-001"},
		"evict instance 0":    {"t1-db-000", "t1-web-000-0", "t1-web-000-1"},
	} {
		t.Run(do, func(t *testing.T) {
			inTime(t, disturbed(do), func(r *runs) {
				trial := r.finishes()[0]
				passed(r.t, trial)
				for name, times := range r.starts() {
					if again := slices.Contains(want, name); again != (times == 2) {
						r.t.Errorf("%s was started %d times", name, times)
					}
				}
				if eventOf(trial, "fault: "+do) < 0 || eventOf(trial, "answers again") < 0 {
					r.t.Errorf("events: %+v", trial.Events)
				}
				if trial.Whole().Count == 0 || trial.Audit == nil || !trial.Audit.Passed {
					r.t.Errorf("%+v, audit %+v", trial.Whole(), trial.Audit)
				}
			})
		})
	}
}

// Servers without a place come back when there is one: after the fault that undoes the
// first, while users are at work, or else after the load.
func TestServersWithoutAPlaceComeBackLater(t *testing.T) {
	for _, undone := range []string{"undrain", ""} {
		actions := []string{"drain"}
		if undone != "" {
			actions = append(actions, undone)
		}
		t.Run(undone, func(t *testing.T) {
			inTime(t, disturbed(actions...), func(r *runs) {
				r.options.ErrorLimit = 1
				trial := r.finishes()[0]
				passed(r.t, trial)
				repaired, back := eventOf(trial, "after the load: the node takes servers again"), eventOf(trial, "answers again")
				if back < 0 || (repaired >= 0) != (undone == "") || repaired > back {
					r.t.Errorf("events: %+v", trial.Events)
				}
			})
		})
	}
}

// A server that does not come back fails the trial, in its words.
func TestAServerThatDoesNotComeBack(t *testing.T) {
	inTime(t, disturbed("evict instance 1 db"), func(r *runs) {
		r.later(func() {
			r.at("Start", "t1-db-001", func() error { return errors.New("its claim is gone") })
		})
		failedTo(r.t, r.finishes()[0], "drive", "instance-001", `after "evict instance 1 db"`, "its claim is gone")
	})
}

// A fault needs the servers that it is about.
func TestAFaultOfServersThatAreAway(t *testing.T) {
	for _, next := range []string{"evict instance 0", "kill instance 0"} {
		t.Run(next, func(t *testing.T) {
			inTime(t, disturbed("drain", next), func(r *runs) {
				r.options.ErrorLimit = 1
				failedTo(r.t, r.finishes()[0], "drive", next)
			})
		})
	}
}
