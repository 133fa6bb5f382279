package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
	"plimsoll/test/quick"
)

// incident is something that goes wrong at a call, counted from the start of the
// campaign's process.
type incident struct {
	what incidentKind
	at   int
}

type incidentKind string

const (
	fail      incidentKind = "the call fails"
	interrupt incidentKind = "the campaign is interrupted"
	hurry     incidentKind = "the campaign is interrupted twice"
	crash     incidentKind = "the campaign crashes"
	death     incidentKind = "a server dies"
	loss      incidentKind = "a volume vanishes"
	breaking  incidentKind = "streams break"
)

// scenario is a plan, and what goes wrong in each of some processes that work on
// it.
type scenario struct {
	plan      *plan.Plan
	processes [][]incident
}

func scenarios() *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		incidents := rapid.Custom(func(t *rapid.T) incident {
			kinds := []incidentKind{fail, fail, fail, interrupt, hurry, crash, crash, death, loss, breaking}
			return incident{rapid.SampledFrom(kinds).Draw(t, "what"), rapid.IntRange(1, 200).Draw(t, "at")}
		})
		return scenario{
			plan:      plans().Draw(t, "plan"),
			processes: rapid.SliceOfN(rapid.SliceOfN(incidents, 1, 3), 1, 4).Draw(t, "processes"),
		}
	})
}

func plans() *rapid.Generator[*plan.Plan] {
	return rapid.Custom(func(t *rapid.T) *plan.Plan {
		var variants []study.Variant
		for n := range rapid.IntRange(1, 2).Draw(t, "variants") {
			v := campaigntest.Variant(fmt.Sprintf("v%d", n), campaigntest.Parameters{
				Web: rapid.Bool().Draw(t, "web"), Stateless: rapid.Bool().Draw(t, "stateless"),
				Files: rapid.Bool().Draw(t, "files"), InPlace: rapid.Bool().Draw(t, "in place"),
			})
			v.Load.InstancesPerDriver = rapid.IntRange(0, 1).Draw(t, "instances per driver")
			if rapid.Bool().Draw(t, "own class") {
				v = campaigntest.OnOwnClass(v, campaigntest.OwnParameters{NoClones: rapid.SampledFrom([]string{"", "", "it cannot"}).Draw(t, "no clones")})
			}
			if rapid.Bool().Draw(t, "existing") {
				v = campaigntest.OnExisting(v, "10.0.0.1:5432/one", "10.0.0.1:5432/two")
			}
			if rapid.Bool().Draw(t, "members") {
				v = campaigntest.Beside(v, campaigntest.Member("two", campaigntest.WorkName, rapid.IntRange(1, 2).Draw(t, "weight")))
			}
			variants = append(variants, v)
		}
		rungs := rapid.SampledFrom([][]int{{1}, {2}, {1, 2}}).Draw(t, "rungs")
		p := campaigntest.Plan(variants, rungs, rapid.IntRange(1, 2).Draw(t, "repetitions"))
		p.Study.Faults = rapid.SampledFrom([][]study.Event{
			nil, nil, {{At: seconds(1), Do: "kill instance 0"}}, {{At: seconds(1), Do: "kill instance 0 db"}},
			{{At: seconds(1), Do: "break"}, {At: seconds(2), Do: "fix"}},
			{{At: seconds(1), Do: "break"}}, {{At: seconds(1), Do: "cut power"}},
			{{At: seconds(1), Do: "evict instance 0"}}, {{At: seconds(1), Do: "evict instance 0 db"}, {At: seconds(2), Do: "kill instance 0"}},
			{{At: seconds(1), Do: "drain"}}, {{At: seconds(1), Do: "drain"}, {At: seconds(2), Do: "undrain"}},
		}).Draw(t, "faults")
		if rapid.IntRange(0, 5).Draw(t, "end") == 0 {
			p.Study.Phases.End = study.CutPower
		}
		return p
	})
}

func seconds(n int) unit.Duration { return unit.Duration(time.Duration(n) * time.Second) }

// Whatever goes wrong: nothing is left, no finished trial is lost or run again,
// every trial comes to a result, and what a crash leaves is in the journal.
func TestWhateverGoesWrong(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	rapid.Check(t, func(rt *rapid.T) {
		s := scenarios().Draw(rt, "scenario")
		home := campaigntest.TempDir(t)
		defer os.RemoveAll(home) // memory, which the next scenario may need
		var problems []string
		campaigntest.Bubble(t, func(t *testing.T) { problems = s.play(t, home) })
		for _, wrong := range problems {
			rt.Error(wrong)
		}
	})
}

// play runs the scenario and returns the problems it finds afterwards.
func (s scenario) play(t *testing.T, home string) (wrong []string) {
	r := newRun(t, home, s.plan)
	finished := map[string]string{} // trial.json, by trial
	var history []string
	for n, incidents := range append(s.processes, nil) {
		happened := r.plan(incidents)
		crashed, err := r.run()
		r.SetOn(nil)
		wrong = append(wrong, r.unexplained(crashed)...)
		wrong = append(wrong, r.changed(finished)...)
		if errors.Is(err, campaign.ErrInterrupted) && len(*happened) == 0 || n == len(s.processes) && err != nil {
			wrong = append(wrong, fmt.Sprintf("process %d: %v", n, err))
		}
		if err := r.clear(); err != nil {
			wrong = append(wrong, fmt.Sprintf("clear what process %d left: %v", n, err))
		}
		history = append(history, fmt.Sprintf("process %d (crashed: %v): %v; it ended with: %v", n, crashed, *happened, err))
	}
	wrong = append(wrong, r.unfinished()...)
	if len(wrong) > 0 {
		wrong = append(wrong, history...)
	}
	return wrong
}

// plan has incidents happen in the next process, and gives those that have.
func (r *runs) plan(incidents []incident) *[]string {
	before := len(r.Calls(""))
	patience, hurryUp := context.WithCancel(context.Background())
	r.options.Patience = patience
	r.t.Cleanup(hurryUp)
	var mu sync.Mutex
	var happened []string
	r.SetOn(func(c campaigntest.Call) error {
		var err error
		for _, i := range incidents {
			if c.Number-before != i.at {
				continue
			}
			mu.Lock()
			happened = append(happened, fmt.Sprintf("%s: %s", c, i.what))
			mu.Unlock()
			err = errors.Join(err, r.happen(i.what, c, hurryUp))
		}
		return err
	})
	return &happened
}

func (r *runs) happen(what incidentKind, c campaigntest.Call, hurryUp func()) error {
	switch {
	case what == fail && !noting(c):
		return fmt.Errorf("%s fails", c.Method)
	case what == crash && !r.Borrowing():
		defer r.cancel()
		return r.Crash(filepath.Join(r.home, "copies"), r.options.Dir, r.options.Scratch)
	case what == hurry && !r.borrows():
		defer r.cancel()
		hurryUp()
	}
	switch what {
	case crash, hurry:
		r.cancel()
	case interrupt:
		r.cancel()
	case death:
		r.KillAny("it ended by itself")
	case loss:
		r.LoseVolumes("-001")
	case breaking:
		r.BreakStreams(100, 5)
	}
	return nil
}

// noting reports whether without a call what was made in an existing
// database would not be noted, and nobody may drop it.
func noting(c campaigntest.Call) bool {
	return c.Method == "Engine.Note" || c.Method == "Task.Stop" && strings.HasSuffix(c.Name, "-load")
}

func (r *runs) borrows() bool {
	return slices.ContainsFunc(r.options.Plan.Variants, func(v study.Variant) bool { return v.Server("db").Existing != nil })
}

// unexplained lists the objects, including the scratch directory, that exist but are not in the
// journal.
func (r *runs) unexplained(crashed bool) (wrong []string) {
	state, err := journal.Read(filepath.Join(r.options.Dir, result.JournalFile))
	if err != nil {
		return []string{err.Error()}
	}
	for _, o := range r.Objects() {
		known := slices.ContainsFunc(state.Objects, func(listed journal.Object) bool {
			return listed.Kind == o.Kind && listed.Name == o.Name && listed.Path == o.Path
		})
		if !known {
			wrong = append(wrong, fmt.Sprintf("%s is there, but not in the journal (crashed: %v)", o, crashed))
		}
	}
	scratch := journal.Object{Kind: journal.Directory, Path: r.options.Scratch}
	if exists(r.options.Scratch) && !slices.Contains(state.Objects, scratch) {
		wrong = append(wrong, "the scratch directory is not in the journal")
	}
	return wrong
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// changed is which finished trials are not what they were, and remembers them.
func (r *runs) changed(finished map[string]string) (wrong []string) {
	for _, t := range r.options.Plan.Trials {
		text, err := os.ReadFile(filepath.Join(result.TrialDir(r.options.Dir, t.ID), result.TrialFile))
		before, was := finished[t.ID]
		if was && (err != nil || string(text) != before) {
			wrong = append(wrong, fmt.Sprintf("finished trial %s is not what it was (%v)", t.ID, err))
		}
		if err == nil {
			finished[t.ID] = string(text)
		}
	}
	return wrong
}

// clear does what `plimsoll run --resume` does first.
func (r *runs) clear() error {
	path := filepath.Join(r.options.Dir, result.JournalFile)
	state, err := journal.Read(path)
	if err != nil {
		return err
	}
	j, err := journal.Open(path, runID)
	if err != nil {
		return err
	}
	owners := giveback.Owners(r.Parts(), func() (*plan.Plan, error) { return r.options.Plan, nil })
	return errors.Join(j.Swept(owners.Sweep(context.Background(), state, journal.BeforeResuming)), j.Close())
}

// unfinished lists the differences from the state that a completed campaign has to leave.
func (r *runs) unfinished() (wrong []string) {
	for _, left := range r.Left() {
		wrong = append(wrong, left+" is left")
	}
	state, err := journal.Read(filepath.Join(r.options.Dir, result.JournalFile))
	if err != nil || len(state.Objects) > 0 || exists(r.options.Scratch) {
		wrong = append(wrong, fmt.Sprintf("the journal lists %v (%v), scratch directory there: %v", state.Objects, err, exists(r.options.Scratch)))
	}
	if run, err := result.Open(r.options.Dir); err != nil || len(run.Tiles()) != len(r.options.Plan.Trials) || len(run.Problems) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d trials of %d have a result (%v)", len(run.Trials), len(r.options.Plan.Trials), err))
	}
	ended := map[string]bool{}
	for _, n := range state.Notes {
		switch trial := n.Detail["trial"]; n.Event {
		case "trial-finished":
			ended[trial] = true
		case "trial-started":
			if ended[trial] {
				wrong = append(wrong, trial+" was run again although it was finished")
			}
		}
	}
	return wrong
}
