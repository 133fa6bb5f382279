package campaign_test

import (
	"errors"
	"slices"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
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
		"servers, by the platform":     {[]string{"evict instance 1"}, []string{`instance 1 answers again`}},
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

// eventful is one trial of two instances with events, and 5 s of measured phase.
func eventful(events ...study.Event) *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{Web: true, Stateless: true})
	p := campaigntest.Plan([]study.Variant{v}, []int{2}, 1)
	p.Study.Phases.Measure, p.Study.Events = seconds(5), events
	return p
}

// Engines and classes do events of their own, as often as the study says, to the servers
// and volumes that it names. They are no faults.
func TestEventsOfEnginesAndClasses(t *testing.T) {
	for name, c := range map[string]struct {
		event  study.Event
		method string
		names  []string // that the method was called with
	}{
		"an engine, repeatedly": {study.Event{At: seconds(1), Every: seconds(2), Do: "checkpoint instance 1"}, "Engine.Do", []string{"fake:t1-db-001", "fake:t1-db-001"}},
		"an engine's role":      {study.Event{At: seconds(1), Do: "checkpoint instance 0 db"}, "Engine.Do", []string{"fake:t1-db-000"}},
		"a class":               {study.Event{At: seconds(1), Do: "snapshot instance 1"}, "Class.Snapshot", []string{"t1-db-001"}},
		"larger rungs only":     {study.Event{At: seconds(1), From: 3, Do: "snapshot instance 1"}, "Class.Snapshot", nil},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, eventful(c.event), func(r *runs) {
				trial := r.finishes()[0]
				passed(r.t, trial)
				var names []string
				for _, call := range r.Calls(c.method) {
					names = append(names, call.Name)
				}
				if !slices.Equal(names, c.names) {
					r.t.Errorf("%s of %q, want %q", c.method, names, c.names)
				}
				var done []result.Event
				for _, e := range trial.Events {
					if e.Do == c.event.Do {
						done = append(done, e)
					}
				}
				if len(done) != len(c.names) || len(faultsOf(trial)) > 0 {
					r.t.Errorf("events %+v", trial.Events)
				}
				for _, e := range done {
					if e.Until.Before(e.At) {
						r.t.Errorf("%q ends at %s before it began at %s", e.Do, e.Until, e.At)
					}
				}
			})
		})
	}
}

// A fault with a span is undone by the verb that undoes it.
func TestAFaultWithASpan(t *testing.T) {
	inTime(t, eventful(study.Event{At: seconds(1), For: seconds(2), Do: "break"}), func(r *runs) {
		r.options.ErrorLimit = 1
		trial := r.finishes()[0]
		passed(r.t, trial)
		faults := faultsOf(trial)
		if len(faults) != 2 || faults[0].Fault != "break" || faults[1].Fault != "fix" || faults[1].At.Sub(faults[0].At) != seconds(2).D() {
			r.t.Errorf("faults %+v", faults)
		}
	})
}

// An event that cannot be done fails the trial, with what was to be done.
func TestAnEventThatFails(t *testing.T) {
	for do, method := range map[string]string{"checkpoint instance 0": "Engine.Do", "snapshot instance 0": "Class.Snapshot"} {
		inTime(t, eventful(study.Event{At: seconds(1), Do: do}), func(r *runs) {
			r.SetOn(func(c campaigntest.Call) error {
				if c.Method == method {
					return errors.New("no space is left")
				}
				return nil
			})
			failedTo(r.t, r.finishes()[0], "drive", do, "no space is left")
		})
	}
}

// Events name instances of members; where a member is measured alone, those of the others
// are left out.
func TestEventsOfMembers(t *testing.T) {
	p := campaigntest.Tile([]int{2}, 1, campaigntest.Member("fast", campaigntest.WorkName, 2), campaigntest.Member("slow", campaigntest.SlowName, 1))
	p.Study.Ladder.Alone = true
	p.Trials = append(p.Trials, plan.Trial{Position: 2, ID: "a/alone-fast/1", Variant: "a", Rung: 1, Alone: "fast", Repetition: 1, Seed: 2})
	p.Study.Phases.Measure = seconds(5)
	p.Study.Events = []study.Event{{At: seconds(1), Do: "kill instance 1 of fast"}, {At: seconds(2), Do: "checkpoint instance 1 db of slow"}, {At: seconds(3), Do: "evict instance 0 of slow"}}
	inTime(t, p, func(r *runs) {
		r.WithMembers()
		r.options.ErrorLimit = 1
		trials := r.finishes()
		passed(r.t, trials...)
		for i, want := range [][]string{{"instance 1 of fast answers again", "checkpoint instance 1 db of slow", "instance 0 of slow answers again"}, {"instance 1 of fast answers again"}} {
			for _, text := range want {
				if eventOf(trials[i], text) < 0 {
					r.t.Errorf("%s has no event %q: %+v", trials[i].ID, text, trials[i].Events)
				}
			}
			if i == 1 && eventOf(trials[i], "slow") >= 0 {
				r.t.Errorf("%s has events of another member: %+v", trials[i].ID, trials[i].Events)
			}
		}
		if calls := r.Calls("Engine.Do"); len(calls) != 1 || calls[0].Name != "fake:t1-slow-db-001" {
			r.t.Errorf("checkpoints %+v", calls)
		}
	})
}
