package campaign_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

const one, two = "10.0.0.1:5432/one", "10.0.0.1:5432/two"

// borrowing is two trials of two instances on existing databases, with web
// servers of their own.
func borrowing() *plan.Plan {
	v := campaigntest.OnExisting(campaigntest.Variant("a", campaigntest.Parameters{Web: true}), one, two)
	return campaigntest.Plan([]study.Variant{v}, []int{2}, 2)
}

func TestExistingDatabasesAreGivenBack(t *testing.T) {
	for _, m := range []moment{
		{"", "", ""},
		{"provision", "Class.Provision", "t1-web-001-1"},
		{"provision", "Workload.Prepare", ""},
		{"provision", "Engine.Ready", "t1-web"},
		{"start", "Start", "t1-web-001"},
		{"drive", "Observe", ""},
		{"audit", "Workload.Audit", "0"},
		{"teardown", "Engine.Release", ""},
	} {
		t.Run(m.String(), func(t *testing.T) {
			inTime(t, borrowing(), func(r *runs) {
				r.at(m.method, m.named, func() error { return errors.New("out of luck") })
				trials := r.finishes()
				if m.stage == "" {
					passed(r.t, trials...)
					return
				}
				if trials[0].Failure == nil {
					r.t.Error("the first trial passed")
				}
				passed(r.t, trials[1])
			})
		})
	}
}

// An interrupted task records what it has made before it ends.
func TestALoadThatIsInterruptedIsGivenBack(t *testing.T) {
	inTime(t, borrowing(), func(r *runs) {
		r.at("Workload.Prepare", "", func() error {
			time.AfterFunc(500*time.Millisecond, r.cancel)
			return nil
		})
		if _, err := r.run(); !errors.Is(err, campaign.ErrInterrupted) {
			r.t.Fatal(err)
		}
		r.nothingLeft()
	})
}

// What a crash left on an existing server is given back by the run that goes on,
// although its trial fails before it has got there.
func TestACrashOnAnExistingDatabaseIsGivenBack(t *testing.T) {
	inTime(t, borrowing(), func(r *runs) {
		r.at("Observe", "", func() error {
			defer r.cancel()
			return r.Crash(filepath.Join(r.home, "copies"), r.options.Dir, r.options.Scratch)
		})
		if crashed, err := r.run(); !crashed {
			r.t.Fatal(err)
		}
		if left := r.Left(); len(left) < 2 {
			r.t.Errorf("the crash left %v", left)
		}
		if err := r.clear(); err != nil {
			r.t.Error(err)
		}
		r.SetOn(func(c campaigntest.Call) error {
			if c.Method == "Engine.Find" {
				return errors.New("the engine was removed")
			}
			return nil
		})
		for _, trial := range r.finishes() {
			failedTo(r.t, trial, "provision", "the engine was removed")
		}
	})
}

// A database that is not ours to use stays as it is, whatever it holds.
func TestAnExistingDatabaseIsRefused(t *testing.T) {
	for want, held := range map[string]campaigntest.Database{
		"not empty":   {Tables: true, Records: map[string]bool{"theirs": true}},
		"another run": {Mark: "another-run", Noted: true, Tables: true, Records: map[string]bool{"theirs": true}},
	} {
		t.Run(want, func(t *testing.T) {
			inTime(t, borrowing(), func(r *runs) {
				*r.Database(two) = held
				if _, err := r.run(); err != nil {
					r.t.Fatal(err)
				}
				for _, trial := range r.trials() {
					failedTo(r.t, trial, "provision", want)
				}
				if d := r.Database(two); d.Mark != held.Mark || !d.Tables || !d.Records["theirs"] {
					r.t.Errorf("the database holds %+v", *d)
				}
				if d := r.Database(one); d.Mark != "" || d.Tables {
					r.t.Errorf("ours was not given back: %+v", *d)
				}
			})
		})
	}
}

// choosing is a run that measures its first trial again, and then searches for
// two more rungs.
func choosing(r *runs) {
	p := r.options.Plan
	has := func(run *result.Run, id string) bool {
		return slices.ContainsFunc(run.Trials, func(t *result.Trial) bool { return t.ID == id })
	}
	r.options.Again = func(run *result.Run) (plan.Trial, string, bool) {
		return p.Again(p.Trials[0], 2), "it was spoiled", !has(run, "a/1/1.2")
	}
	r.options.Next = func(run *result.Run) (t plan.Trial, why string, ok bool) {
		for rung := 2; rung <= 3; rung++ {
			if next := (&plan.Plan{Study: p.Study, Variants: p.Variants, Trials: p.Trials}).Append("a", rung, 1); !has(run, next.ID) {
				return next, "searching", true
			}
		}
		return t, "found", false
	}
}

func TestTrialsAreAskedFor(t *testing.T) {
	for _, interrupted := range []string{"", "t1-web-000", "t2-db-002"} {
		t.Run("interrupted at "+interrupted, func(t *testing.T) {
			v := campaigntest.Variant("a", campaigntest.Parameters{Web: true})
			inTime(t, campaigntest.Plan([]study.Variant{v}, []int{1}, 1), func(r *runs) {
				choosing(r)
				if interrupted != "" {
					r.at("Process.Log", interrupted, func() error { r.cancel(); return nil })
					if _, err := r.run(); !errors.Is(err, campaign.ErrInterrupted) {
						r.t.Errorf("not interrupted: %v", err)
					}
				}
				var ids []string
				for _, trial := range r.finishes() {
					passed(r.t, trial)
					ids = append(ids, trial.ID)
				}
				if want := []string{"a/1/1", "a/1/1.2", "a/2/1", "a/3/1"}; !slices.Equal(ids, want) {
					r.t.Errorf("ran %v, want %v", ids, want)
				}
			})
		})
	}
}

// A resumed run may find its own mark in a database; anything else there keeps it out.
func TestExistingServersAreAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		left campaigntest.Database
		down bool
		says string // empty where nothing keeps the run from it
	}{
		"as they were":                  {},
		"its own mark":                  {left: campaigntest.Database{Mark: runID, Noted: true, Tables: true}},
		"another run's mark":            {left: campaigntest.Database{Mark: "another", Noted: true, Tables: true}, says: "in use by another run"},
		"what it did not note":          {left: campaigntest.Database{Mark: runID, Tables: true}, says: "not empty"},
		"a server that is out of reach": {down: true, says: "out of luck"},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, borrowing(), func(r *runs) {
				*r.Database(one) = c.left
				if c.down {
					r.at("Engine.Ask", "10.0.0.1:5432", func() error { return errors.New("out of luck") })
				}
				problems, err := facts.AskAgain(r.t.Context(), r.Parts(), borrowing(), runID, facts.Asking{})
				if err != nil {
					t.Fatal(err)
				}
				text := fmt.Sprint(problems)
				if len(problems) > 1 || (len(problems) == 1) != (c.says != "") || !strings.Contains(text, c.says) {
					t.Errorf("%s; want %q", text, c.says)
				}
			})
		})
	}
}

// Two servers of a study may be the same database, and a server may require something that the
// workload's tables lack. Both are found before anything is made.
func TestDatabasesThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct {
		identity, keys string
		unkeyed        bool
		says           []string // of each problem, none where nothing keeps the run from them
	}{
		"as usual":                           {},
		"one database by two names":          {identity: "d", says: []string{one + " and " + two + " are one database"}},
		"keys are wanted and there":          {keys: "force_key"},
		"a table has no key, as usual":       {unkeyed: true},
		"keys are wanted, and a table lacks": {keys: "force_key", unkeyed: true, says: []string{one + ": the server refuses tables without a primary key (force_key)", two + ": the server refuses"}},
	} {
		t.Run(name, func(t *testing.T) {
			v := campaigntest.OnExisting(campaigntest.Variant("a", campaigntest.Parameters{Unkeyed: c.unkeyed}), one, two)
			p := campaigntest.Plan([]study.Variant{v}, []int{2}, 1)
			inTime(t, p, func(r *runs) {
				r.Identity, r.WantsKeys = c.identity, c.keys
				problems, err := facts.AskAgain(r.t.Context(), r.Parts(), p, runID, facts.Asking{})
				if err != nil || len(problems) != len(c.says) {
					t.Fatalf("%v, %v; want %q", problems, err, c.says)
				}
				for i, want := range c.says {
					if !strings.Contains(problems[i].Text, want) {
						t.Errorf("%s; want %q", problems[i].Text, want)
					}
				}
			})
		})
	}
}
