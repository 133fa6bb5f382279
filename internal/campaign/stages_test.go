package campaign_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/campaign"
	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/test/quick"
)

// inTime plays a test with a run of some plan, in simulated time.
func inTime(t *testing.T, p *plan.Plan, test func(r *runs)) {
	t.Helper()
	home := campaigntest.TempDir(t)
	campaigntest.Bubble(t, func(t *testing.T) { test(newRun(t, home, p)) })
}

// stacked is two trials of two instances, each a database, two web servers and a
// volume without a server.
func stacked() *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{Web: true, Files: true})
	return campaigntest.Plan([]study.Variant{v}, []int{2}, 2)
}

// at has something happen once: at the first call of a method for what has a name
// with some text in it.
func (r *runs) at(method, named string, do func() error) {
	var did atomic.Bool
	r.SetOn(func(c campaigntest.Call) error {
		if c.Method != method || !strings.Contains(c.Name, named) || did.Swap(true) {
			return nil
		}
		return do()
	})
}

// later has something happen after a while, when users are at work.
func (r *runs) later(do func()) {
	r.at("Observe", "", func() error {
		go func() {
			time.Sleep(4 * time.Second)
			do()
		}()
		return nil
	})
}

func (r *runs) finishes() []*result.Trial {
	r.t.Helper()
	if _, err := r.run(); err != nil {
		r.t.Fatal(err)
	}
	r.nothingLeft()
	return r.trials()
}

func (r *runs) trials() []*result.Trial {
	r.t.Helper()
	run, err := result.Open(r.options.Dir)
	if err != nil {
		r.t.Fatal(err)
	}
	slices.SortFunc(run.Trials, func(a, b *result.Trial) int { return strings.Compare(a.ID, b.ID) })
	return run.Trials
}

func (r *runs) nothingLeft() {
	r.t.Helper()
	if left := r.Left(); len(left) > 0 {
		r.t.Errorf("left: %v", left)
	}
}

// TestTasksKnowTheUsers: what prepares or audits an instance is told how many users it
// has at the rung.
func TestTasksKnowTheUsers(t *testing.T) {
	v := campaigntest.Variant("a", campaigntest.Parameters{InPlace: true})
	v.Load.Users = 1
	p := campaigntest.Plan([]study.Variant{v}, []int{1, 4}, 1)
	p.Study.Ladder.Of = study.OfUsers
	inTime(t, p, func(r *runs) {
		passed(t, r.finishes()...)
		for _, method := range []string{"Workload.Prepare", "Workload.Audit"} {
			if got := r.Users(method); !slices.Equal(got, []int{1, 4}) {
				t.Errorf("%s was told of %v users", method, got)
			}
		}
	})
}

// failedTo checks how a trial failed.
func failedTo(t *testing.T, trial *result.Trial, stage string, causes ...string) {
	t.Helper()
	if trial.Failure == nil {
		t.Errorf("%s passed", trial.ID)
		return
	}
	if trial.Failure.Stage != stage {
		t.Errorf("%s failed to %s, not to %s: %s", trial.ID, trial.Failure.Stage, stage, trial.Failure.Cause)
	}
	if strings.HasPrefix(trial.Failure.Cause, "member :") {
		t.Errorf("%s blames a member without a name: %s", trial.ID, trial.Failure.Cause)
	}
	for _, cause := range causes {
		if !strings.Contains(trial.Failure.Cause, cause) {
			t.Errorf("%s says nothing of %q: %s", trial.ID, cause, trial.Failure.Cause)
		}
	}
}

func passed(t *testing.T, trials ...*result.Trial) {
	t.Helper()
	for _, trial := range trials {
		if trial.Status != result.Passed {
			t.Errorf("%s failed: %+v", trial.ID, trial.Failure)
		}
	}
}

// moment is a call in a stage.
type moment struct{ stage, method, named string }

func moments() []moment {
	return []moment{
		{"provision", "Engine.Find", ""},
		{"provision", "MakeGolden", ""},
		{"provision", "Run", "golden"},
		{"provision", "Workload.Prepare", ""},
		{"provision", "Class.Up", ""},
		{"provision", "Class.Import", ""},
		{"provision", "Class.Clone", "t1-web-001-1"},
		{"start", "Start", "t1-db-001"},
		{"start", "Engine.Ready", "t1-web-000-1"},
		{"settle", "Class.Settle", ""},
		{"drive", "Reserve", ""},
		{"drive", "Task", "driver"},
		{"drive", "Observe", ""},
		{"drive", "Class.Inject", "break"},
		{"drive", "Victims", "drain"},
		{"drive", "Platform.Inject", "drain"},
		{"drive", "Platform.Healthy", ""},
		{"recover", "Class.RestorePower", ""},
		{"heal", "Platform.Repair", ""},
		{"heal", "Class.Repair", ""},
		{"audit", "Class.Remount", ""},
		{"audit", "Class.CheckCopies", ""},
		{"audit", "Start", "t1-db-001"},
		{"audit", "Workload.Audit", "1"},
		{"teardown", "Process.Log", "web"},
		{"teardown", "Class.Delete", "t1-db-000"},
		{"teardown", "Task.Remove", "driver"},
		{"teardown", "Release", ""},
	}
}

func (m moment) String() string { return strings.Join([]string{m.stage, m.method, m.named}, " ") }

// plan is one in which the moment comes.
func (m moment) plan() *plan.Plan {
	p := stacked()
	if slices.Contains([]string{"Class.Inject", "Class.Repair", "Class.CheckCopies"}, m.method) {
		p.Study.Faults = []study.Event{{At: seconds(1), Do: "break"}}
	}
	if m.method == "Victims" || strings.HasPrefix(m.method, "Platform.") {
		p.Study.Faults = []study.Event{{At: seconds(2), Do: "drain"}}
	}
	if m.stage == "recover" {
		p.Study.Phases.End = study.CutPower
	}
	return p
}

// happens has something happen at the moment.
func (m moment) happens(r *runs, do func() error) {
	r.at(m.method, m.named, do)
	if m.stage == "audit" && m.method == "Start" { // the second of the name: the first is that before the load
		first := r.SetOn(nil)
		r.at("Class.Remount", "", func() error { r.SetOn(first); return nil })
	}
}

// A call that fails fails its trial, in its stage and words; the next trial goes well.
func TestAFailureInEveryStage(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, m := range moments() {
		t.Run(m.String(), func(t *testing.T) {
			inTime(t, m.plan(), func(r *runs) {
				m.happens(r, func() error { return errors.New("out of luck") })
				trials := r.finishes()
				failedTo(r.t, trials[0], m.stage, "out of luck")
				passed(r.t, trials[1])
			})
		})
	}
}

// A campaign that is interrupted, or crashes, at any call goes on where it was.
func TestAnEndInEveryStage(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, m := range moments() {
		for _, crashes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, crash %v", m, crashes), func(t *testing.T) {
				inTime(t, m.plan(), func(r *runs) { r.endAt(m, crashes) })
			})
		}
	}
}

func (r *runs) endAt(m moment, crashes bool) {
	m.happens(r, func() error {
		defer r.cancel()
		if crashes {
			return r.Crash(filepath.Join(r.home, "copies"), r.options.Dir, r.options.Scratch)
		}
		return nil
	})
	crashed, err := r.run()
	r.SetOn(nil)
	if crashed != crashes || !errors.Is(err, campaign.ErrInterrupted) || len(r.trials()) > 0 {
		r.t.Errorf("crashed %v, %v, %d trials", crashed, err, len(r.trials()))
	}
	for _, wrong := range r.unexplained(crashed) {
		r.t.Error(wrong)
	}
	if !crashes {
		r.nothingLeft()
	}
	if err := r.clear(); err != nil {
		r.t.Error(err)
	}
	r.nothingLeft()
	passed(r.t, r.finishes()...)
	for _, wrong := range r.unfinished() {
		r.t.Error(wrong)
	}
}

// What has come up is stopped in reverse when a role does not.
func TestARoleThatDoesNotComeUp(t *testing.T) {
	p := stacked()
	p.Trials = p.Trials[:1]
	inTime(t, p, func(r *runs) {
		r.at("Engine.Ready", "t1-web-001-1", func() error { return errors.New("its port is taken") })
		failedTo(r.t, r.finishes()[0], "start", "web-001-1", "its port is taken")
		var stopped []string
		for _, c := range r.Calls("Process.Stop") {
			if strings.HasPrefix(c.Name, "t1-") && strings.Contains(c.Name, "-001") {
				stopped = append(stopped, c.Name)
			}
		}
		if want := []string{"t1-web-001-0", "t1-db-001"}; !slices.Equal(stopped, want) {
			r.t.Errorf("stopped %v, want %v", stopped, want)
		}
	})
}

func TestAVolumeThatVanishesUnderOneRole(t *testing.T) {
	for _, role := range []string{"files", "db"} {
		t.Run(role, func(t *testing.T) {
			inTime(t, stacked(), func(r *runs) {
				r.later(func() {
					if r.LoseVolumes("t1-"+role+"-001") != 1 {
						r.t.Error("there is no such volume")
					}
				})
				trials := r.finishes()
				failedTo(r.t, trials[0], trials[0].Failure.Stage, role+"-001 is gone")
				passed(r.t, trials[1])
			})
		})
	}
}

func TestAServerThatDiesAtWork(t *testing.T) {
	inTime(t, stacked(), func(r *runs) {
		r.later(func() { r.Kill("t1-web-001-0", "out of memory") })
		trials := r.finishes()
		failedTo(r.t, trials[0], "drive", "server web-001-0 ended", "out of memory")
		passed(r.t, trials[1])
		if trials[0].Whole().Count == 0 {
			r.t.Error("what was measured until then is lost")
		}
	})
}

// twoDrivers is two trials of two instances with a driver each.
func twoDrivers() *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{Web: true})
	v.Load.InstancesPerDriver = 1
	return campaigntest.Plan([]study.Variant{v}, []int{2}, 2)
}

// However long it takes until there are places for the drivers: all begin before
// their common start.
func TestDriversBeginTogetherWhereStartingThemTakesLong(t *testing.T) {
	inTime(t, twoDrivers(), func(r *runs) {
		for _, trial := range r.finishes() {
			passed(r.t, trial)
			if len(trial.Drivers) != 2 {
				r.t.Errorf("%d drivers", len(trial.Drivers))
			}
			for _, e := range trial.Events {
				if strings.Contains(e.Text, "after the common start") {
					r.t.Errorf("%s: %s", trial.ID, e.Text)
				}
			}
		}
	})
}

// Places that no driver has taken are given up with their trial.
func TestPlacesThatAreNotTakenAreGivenUp(t *testing.T) {
	inTime(t, twoDrivers(), func(r *runs) {
		r.at("Task", "t1-driver-1", func() error { return errors.New("out of luck") })
		trials := r.finishes()
		failedTo(r.t, trials[0], "drive", "out of luck")
		passed(r.t, trials[1])
	})
}

func TestADriverThatCrashes(t *testing.T) {
	inTime(t, stacked(), func(r *runs) {
		r.later(func() { r.Kill("t1-driver-0", "out of memory") })
		trials := r.finishes()
		failedTo(r.t, trials[0], "drive", "driver-0 ended early", "out of memory")
		passed(r.t, trials[1])
	})
}

// With streams that break again and again, results are the same as without.
func TestStreamsThatBreakLoseNothing(t *testing.T) {
	var results [2]*result.Trial
	var streams [2]int
	for n := range results {
		inTime(t, stacked(), func(r *runs) {
			r.at("Class.Settle", "", func() error { r.BreakStreams(500, 20*n); return nil })
			trials := r.finishes()
			passed(r.t, trials...)
			results[n], streams[n] = trials[0], len(r.Calls("Task.Open"))
		})
	}
	if streams[1] < streams[0]+5 {
		t.Errorf("%d streams, and %d without breaks", streams[1], streams[0])
	}
	a, b := results[0], results[1]
	if a.Whole().Count == 0 || a.Whole().Histogram != b.Whole().Histogram || a.Whole().Count != b.Whole().Count ||
		!slices.EqualFunc(a.Instances, b.Instances, func(x, y result.InstanceSummary) bool { return x.Count == y.Count }) ||
		a.Audit.Acknowledged != b.Audit.Acknowledged || len(b.Damage) > 0 {
		t.Errorf("%+v and %+v; %+v and %+v", a.Whole(), b.Whole(), a.Audit, b.Audit)
	}
}

// One lost record fails the trial, and the evidence about it is kept.
func TestALostRecordIsFoundAndKeptAsEvidence(t *testing.T) {
	inTime(t, stacked(), func(r *runs) {
		lost := ""
		r.at("Class.Remount", "", func() error { lost = r.LoseRecord("t1-db-001"); return nil })
		trials := r.finishes()
		failedTo(r.t, trials[0], "audit", "instance 1: every acknowledged record is in db", lost)
		passed(r.t, trials[1])
		if len(trials[0].Evidence) != 1 || trials[0].Evidence[0].Instance != 1 || trials[0].Evidence[0].Missing != "" {
			r.t.Fatalf("evidence %+v", trials[0].Evidence)
		}
		kept := filepath.Join(r.options.Dir, trials[0].Evidence[0].Path)
		if text, err := os.ReadFile(filepath.Join(kept, "receipts")); err != nil || lost == "" || !strings.Contains(string(text), lost) {
			r.t.Errorf("the receipts do not tell of %q (%v)", lost, err)
		}
		for _, slot := range []string{"db-0", "web-0", "web-1", "files-0"} {
			if !exists(filepath.Join(kept, "volumes", slot, "records")) {
				r.t.Errorf("the volume %s was not kept", slot)
			}
		}
	})
}

// Each server is initialised and started before the next one asks where it is.
func TestAStackIsPreparedInPlace(t *testing.T) {
	v := campaigntest.Variant("a", campaigntest.Parameters{Web: true, Files: true, InPlace: true})
	inTime(t, campaigntest.Plan([]study.Variant{v}, []int{2}, 1), func(r *runs) {
		passed(r.t, r.finishes()...)
		if loads := len(r.Calls("Workload.Prepare")); loads != 2 || len(r.Calls("MakeGolden")) > 0 {
			r.t.Errorf("%d loads for 2 instances", loads)
		}
	})
}
