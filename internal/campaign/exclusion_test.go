package campaign_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/test/quick"
)

// tolerant is a plan for one trial with ten instances, a few for each driver. One instance may
// fail.
func tolerant(perDriver int) *plan.Plan {
	v := campaigntest.Variant("a", campaigntest.Parameters{})
	v.Load.InstancesPerDriver = perDriver
	p := campaigntest.Plan([]study.Variant{v}, []int{10}, 1)
	p.Study.Tolerate = 0.1
	return p
}

// failing is how the instances 3 and 7 of a trial can fail, in each of its parts.
type failing struct {
	name   string
	stage  string
	phase  result.Phase
	aside  string // the stage that is told of an instance which is tolerated; empty is stage
	reason string
	plan   func() *plan.Plan
	// have has some of them fail.
	have func(r *runs, some ...string)
}

// onCall has each first call for some instances fail.
func onCall(method, of string) func(*runs, ...string) {
	return func(r *runs, some ...string) {
		var mu sync.Mutex
		left := slices.Clone(some)
		r.SetOn(func(c campaigntest.Call) error {
			mu.Lock()
			defer mu.Unlock()
			at := slices.IndexFunc(left, func(n string) bool { return c.Name == of+n || strings.HasPrefix(c.Name, of+n+"-") })
			if c.Method != method || at < 0 {
				return nil
			}
			left = slices.Delete(left, at, at+1)
			return errors.New("out of luck")
		})
	}
}

// atWork has servers or drivers end by themselves, so long after observation begins.
func atWork(after time.Duration, of string) func(*runs, ...string) {
	return func(r *runs, some ...string) {
		r.at("Observe", "", func() error {
			go func() {
				time.Sleep(after)
				for _, n := range some {
					r.Kill(of+n, "out of luck")
				}
			}()
			return nil
		})
	}
}

func ways() []failing {
	ten, each := func() *plan.Plan { return tolerant(0) }, func() *plan.Plan { return tolerant(1) }
	prepared := func() *plan.Plan {
		p := tolerant(0)
		p.Variants[0].Workload.Parameters = &campaigntest.Parameters{InPlace: true}
		return p
	}
	return []failing{
		{"no clone", "provision", "", "", "clone its volume: out of luck", ten, onCall("Class.Clone", "t1-db-00")},
		{"no volume", "provision", "", "", "make its volume: out of luck", prepared, onCall("Class.Provision", "t1-db-00")},
		{"no start", "start", "", "", "out of luck", ten, onCall("Start", "t1-db-00")},
		{"not ready", "start", "", "", "not ready: out of luck", ten, onCall("Engine.Ready", "t1-db-00")},
		{"a server dies in the warm-up", "drive", result.Warmup, "", "server db-003 ended", ten, atWork(3300*time.Millisecond, "t1-db-00")},
		{"a server dies while measured", "drive", result.Measure, "", "server db-003 ended", ten, atWork(5*time.Second, "t1-db-00")},
		{"a server dies with its own driver", "drive", result.Measure, "", "server db-003 ended", each, atWork(5*time.Second, "t1-db-00")},
		{"a driver does not start", "drive", "", "start", "out of luck", each, onCall("Task", "t1-driver-")},
		{"a driver dies", "drive", result.Measure, "", "driver-3 ended early", each, atWork(5*time.Second, "t1-driver-")},
	}
}

// An instance that fails within the limit costs the trial nothing but the instance, and
// everything says so.
func TestAnInstanceThatIsTolerated(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			inTime(t, way.plan(), func(r *runs) {
				var notes []string
				r.options.Progress = func(e progress.Event) {
					if e.Kind == progress.Note {
						notes = append(notes, e.Text)
					}
				}
				way.have(r, "3")
				trial := r.finishes()[0]
				passed(t, trial)
				if len(trial.SetAside) != 1 {
					t.Fatalf("set aside: %+v", trial.SetAside)
				}
				a := trial.SetAside[0]
				if a.Instance != 3 || a.Stage != cmp.Or(way.aside, way.stage) || way.phase != "" && a.Phase != way.phase || !strings.Contains(a.Reason, way.reason) || a.At.IsZero() {
					t.Errorf("%+v, want stage %s, phase %s and %q", a, way.stage, way.phase, way.reason)
				}
				if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "instance 3 is set aside: ") }) {
					t.Errorf("whoever watches reads only %q", notes)
				}
				without(t, r, trial, 3)
			})
		})
	}
}

// without checks that the figures and the audit of a trial with ten instances cover only the
// other nine.
func without(t *testing.T, r *runs, trial *result.Trial, gone int) {
	t.Helper()
	var sum int64
	for _, i := range trial.Instances {
		if sum += i.Count; i.Instance == gone || i.Count < 40 || i.Count > 60 { // 2 users, 100 ms a record, 3 s
			t.Errorf("instance %d did %d", i.Instance, i.Count)
		}
	}
	whole := trial.Whole()
	if len(trial.Instances) != 9 || whole.Count != sum || len(whole.Errors) > 0 || trial.Ran() != 9 || len(trial.Damage) > 0 {
		t.Errorf("%d instances did %d, together %d with errors %v; damage %q", len(trial.Instances), sum, whole.Count, whole.Errors, trial.Damage)
	}
	if a := trial.Audit; a == nil || !a.Passed || a.Instances != 9 || a.SetAside != 1 || a.Acknowledged < sum || !strings.Contains(a.Text, "not audited: 1 instance") {
		t.Errorf("the audit is %+v", a)
	}
	run, err := result.Open(r.options.Dir)
	if err != nil {
		t.Fatal(err)
	}
	audit, err := run.Audit(trial)
	if err != nil || len(audit.Instances) != 9 {
		t.Fatalf("%d audits, %v", len(audit.Instances), err)
	}
	for _, i := range audit.Instances {
		if i.Instance == gone || !i.Passed() {
			t.Errorf("the audit of instance %d: %+v", i.Instance, i)
		}
	}
}

// One more than the study tolerates fails the trial, and the error says how many.
func TestOneInstanceTooMany(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			inTime(t, way.plan(), func(r *runs) {
				way.have(r, "3", "7")
				trial := r.finishes()[0]
				failedTo(t, trial, way.stage, "2 of 10 instances failed, and the study tolerates 1 (tolerate: 10 %): instance ", "; then ", "out of luck")
				if len(trial.SetAside) != 1 {
					t.Errorf("set aside: %+v", trial.SetAside)
				}
			})
		})
	}
}

// A share of few instances may be none of them, and without a share it is as if there was none.
func TestNoInstanceOfFewIsTolerated(t *testing.T) {
	for tolerate, want := range map[study.Percentage]string{
		0.1: "1 of 9 instances failed, and tolerate: 10 % is less than one of so few: instance 3: server db-003 ended",
		0:   "server db-003 ended",
	} {
		p := tolerant(0)
		p = campaigntest.Plan(p.Variants, []int{9}, 1)
		p.Study.Tolerate = tolerate
		inTime(t, p, func(r *runs) {
			atWork(5*time.Second, "t1-db-00")(r, "3")
			trial := r.finishes()[0]
			failedTo(t, trial, "drive", want)
			if len(trial.SetAside) != 0 || tolerate == 0 && strings.Contains(trial.Failure.Cause, "tolerate") {
				t.Errorf("%+v, %+v", trial.SetAside, trial.Failure)
			}
		})
	}
}

// Neither is an instance with lost data tolerated, nor one that cannot be asked for them.
func TestDamagedDataAreNotTolerated(t *testing.T) {
	inTime(t, tolerant(0), func(r *runs) {
		r.at("Class.Remount", "", func() error { r.LoseRecord("t1-db-003"); return nil })
		trial := r.finishes()[0]
		failedTo(t, trial, "audit", "instance 3: every acknowledged record is in db")
		if len(trial.SetAside) != 0 {
			t.Errorf("set aside: %+v", trial.SetAside)
		}
	})
	inTime(t, tolerant(0), func(r *runs) {
		r.at("Class.Remount", "", func() error { onCall("Start", "t1-db-00")(r, "3"); return nil })
		trial := r.finishes()[0]
		failedTo(t, trial, "audit", "the audit could not be made: what was acknowledged could not be counted: instance 3: ")
		if a := trial.Audit; a.Failed() || a.Passed || !strings.Contains(a.Uncounted, "start it again") || strings.Contains(a.Text, "found 0") {
			t.Errorf("the audit is %+v", a)
		}
	})
}

// What cannot be taken down of an instance that was set aside is noted: its machine may be gone.
func TestWhatIsLeftOfAToleratedInstance(t *testing.T) {
	inTime(t, tolerant(0), func(r *runs) {
		r.SetOn(func(c campaigntest.Call) error {
			switch {
			case c.Method == "Engine.Ready" && strings.Contains(c.Name, "t1-db-003"), c.Method == "Class.Delete" && strings.Contains(c.Name, "t1-db-003"):
				return errors.New("the node is gone")
			}
			return nil
		})
		if _, err := r.run(); err != nil {
			t.Fatal(err)
		}
		trial := r.trials()[0]
		passed(t, trial)
		if !slices.ContainsFunc(trial.Notes, func(n string) bool {
			return strings.Contains(n, "could not be taken down") && strings.Contains(n, "the node is gone")
		}) {
			t.Errorf("notes are %q", trial.Notes)
		}
		if err := r.clear(); err != nil {
			t.Error(err)
		}
		r.nothingLeft()
	})
}

// Each member tolerates a share of its own instances.
func TestMembersTolerateTheirOwn(t *testing.T) {
	tile := func() *plan.Plan {
		p := campaigntest.Tile([]int{2}, 1, campaigntest.Member("fast", campaigntest.WorkName, 5), campaigntest.Member("slow", campaigntest.SlowName, 1))
		p.Study.Tolerate = 0.1
		return p
	}
	inTime(t, tile(), func(r *runs) {
		r.WithMembers()
		atWork(5*time.Second, "t1-fast-db-00")(r, "3")
		trial := tiles(r.finishes())[0]
		passed(t, &trial.Trial)
		fast, slow := alone(t, trial, "fast"), alone(t, trial, "slow")
		if fast.Ran() != 9 || len(fast.Instances) != 9 || slow.Ran() != 2 || len(trial.SetAside) != 1 || trial.SetAside[0].Member != "fast" || trial.Audit.SetAside != 1 {
			t.Errorf("set aside: %+v; fast %d of %d, slow %d", trial.SetAside, fast.Ran(), fast.Rung, slow.Ran())
		}
	})
	inTime(t, tile(), func(r *runs) {
		r.WithMembers()
		atWork(5*time.Second, "t1-slow-db-00")(r, "1")
		trial := r.finishes()[0]
		failedTo(t, trial, "drive", "1 of 2 instances failed", "server slow-db-001 ended")
		if trial.Failure.Member != "slow" {
			t.Errorf("the failure is of %q", trial.Failure.Member)
		}
	})
}

// A fault of the study is about the instance that it is done to: it is not tolerated that it
// cannot be done.
func TestAFaultOnAToleratedInstance(t *testing.T) {
	p := tolerant(0)
	p.Study.Faults = []study.Event{{At: seconds(2), Do: "kill instance 3"}}
	inTime(t, p, func(r *runs) {
		onCall("Start", "t1-db-00")(r, "3")
		failedTo(t, r.finishes()[0], "drive", "instance 3 failed before and was set aside")
	})
	p = tolerant(0)
	p.Study.Faults = []study.Event{{At: seconds(1), Do: "kill instance 4"}}
	inTime(t, p, func(r *runs) {
		onCall("Start", "t1-db-00")(r, "3")
		trial := r.finishes()[0]
		passed(t, trial)
		if len(trial.SetAside) != 1 {
			t.Errorf("set aside: %+v", trial.SetAside)
		}
	})
}

// A power cut also ends the processes that remain of a tolerated instance, and they do not come
// back.
func TestAPowerCutBesideAToleratedInstance(t *testing.T) {
	p := tolerant(0)
	p.Study.Phases.End = study.CutPower
	inTime(t, p, func(r *runs) {
		atWork(5*time.Second, "t1-db-00")(r, "3")
		trial := r.finishes()[0]
		passed(t, trial)
		if len(trial.SetAside) != 1 || trial.Audit == nil || trial.Audit.Instances != 9 {
			t.Errorf("set aside: %+v, audit %+v", trial.SetAside, trial.Audit)
		}
	})
}

// An instance that cannot finish its fixed work fails the trial: no other instance does that
// work.
func TestFixedWorkAtWorkIsNotTolerated(t *testing.T) {
	p := tolerant(0)
	p.Variants[0].Workload.Parameters = &campaigntest.Parameters{Records: 10}
	inTime(t, p, func(r *runs) {
		atWork(4*time.Second, "t1-db-00")(r, "3")
		trial := r.finishes()[0]
		failedTo(t, trial, "drive", "server db-003 ended")
	})
	inTime(t, p, func(r *runs) {
		onCall("Start", "t1-db-00")(r, "3")
		trial := r.finishes()[0]
		passed(t, trial)
		if trial.Unfinished != 0 || trial.Ran() != 9 {
			t.Errorf("%d users had not finished, of %d instances", trial.Unfinished, trial.Ran())
		}
	})
}
