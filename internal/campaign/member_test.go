package campaign_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// tiles are whole trials of the trials of their members.
func tiles(all []*result.Trial) (tiles []*result.Tile) {
	run := &result.Run{Trials: all}
	for _, t := range run.Tiles() {
		tiles = append(tiles, result.TileOf(run.Of(t.ID)...))
	}
	return tiles
}

func wholes(tiles []*result.Tile) (all []*result.Trial) {
	for _, one := range tiles {
		all = append(all, &one.Trial)
	}
	return all
}

// alone returns the part of a trial that belongs to one member.
func alone(t *testing.T, trial *result.Tile, member string) *result.Trial {
	t.Helper()
	for _, one := range trial.Trials() {
		if one.Variant.Member == member {
			return one
		}
	}
	t.Fatalf("%s has nothing of member %s: %+v", trial.ID, member, trial.Failure)
	return nil
}

// A tile has a bursty member and one that is too slow. Each has its own drivers, receipts,
// records, audit and figures, over as many instances as its weight.
func TestATileOfTwoMembers(t *testing.T) {
	fast := campaigntest.Bursty(campaigntest.Member("fast", campaigntest.WorkName, 2))
	slow := campaigntest.Member("slow", campaigntest.SlowName, 1)
	slow.Objectives = []study.Objective{{Metric: "p95", Limit: 0.5, Text: "p95 <= 500ms"}}
	fast.Objectives = []study.Objective{{Metric: "p95", Limit: 0.5, Text: "p95 <= 500ms"}}
	inTime(t, campaigntest.Tile([]int{2}, 1, fast, slow), func(r *runs) {
		r.WithMembers()
		trial := tiles(r.finishes())[0]
		passed(t, &trial.Trial)
		if len(trial.Members) != 2 || len(trial.Operations) != 0 || len(trial.Instances) != 0 || len(trial.Events) != 0 || len(trial.Damage) != 0 {
			t.Errorf("members %d, beside them operations %v, events %v, damage %v", len(trial.Members), trial.Operations, trial.Events, trial.Damage)
		}
		one := alone(t, trial, "fast")
		// 4 instances of 2 users write a record in 100 ms, for one of three seconds.
		if n := one.Whole().Count; n < 70 || n > 90 || one.Rung != 4 || len(one.Instances) != 4 || near(one.Whole().P95, 0.1) {
			t.Errorf("fast: %d records of %d instances, p95 %g s", n, len(one.Instances), one.Whole().P95)
		}
		// Its records end on burst, but for those under way when one ends; the other member has
		// the same seconds apart.
		b := one.Bursts
		if b == nil || b.On.Seconds+b.Off.Seconds != 3 || b.On.Whole.Count+b.Off.Whole.Count != one.Whole().Count || b.On.Whole.Count < 4*b.Off.Whole.Count || near(b.On.Whole.P95, 0.1) {
			t.Errorf("fast on and off burst: %+v", b)
		}
		if a := one.Audit; a == nil || !a.Passed || a.Instances != 4 || a.Acknowledged < one.Whole().Count {
			t.Errorf("the audit of fast is %+v", a)
		}
		other := alone(t, trial, "slow")
		// 2 instances of 2 users write one in a second, for 3 seconds.
		if n := other.Whole().Count; n < 8 || n > 13 || other.Rung != 2 || len(other.Instances) != 2 || near(other.Whole().P95, 1) {
			t.Errorf("slow: %d records of %d instances, p95 %g s", n, len(other.Instances), other.Whole().P95)
		}
		if s := other.Bursts; s == nil || b == nil || s.On.Seconds != b.On.Seconds || s.On.Whole.Count+s.Off.Whole.Count != other.Whole().Count {
			t.Errorf("slow on and off the bursts of fast: %+v", s)
		}
		if a := trial.Audit; !a.Passed || a.Instances != 6 || a.Acknowledged != one.Audit.Acknowledged+other.Audit.Acknowledged {
			t.Errorf("the audit of all is %+v", a)
		}
		ofTile(t, r)
	})
}

// In a trial of one member alone, the other is neither provisioned nor driven, and the
// measurement belongs to no rung.
func TestAMemberWithoutTheOthers(t *testing.T) {
	p := campaigntest.Tile([]int{2}, 1, campaigntest.Member("fast", campaigntest.WorkName, 2), campaigntest.Member("slow", campaigntest.SlowName, 1))
	p.Study.Ladder.Alone = true
	p.Trials = append(p.Trials, plan.Trial{Position: 2, ID: "a/alone-fast/1", Variant: "a", Rung: 1, Alone: "fast", Repetition: 1, Seed: 2})
	inTime(t, p, func(r *runs) {
		r.WithMembers()
		trials := tiles(r.finishes())
		passed(t, wholes(trials)...)
		one := trials[1]
		if one.ID != "a/alone-fast/1" || one.Alone != "fast" || len(one.Members) != 1 || one.Audit.Instances != 2 {
			t.Errorf("the trial is %s of %q, members %+v, audit %+v", one.ID, one.Alone, one.Members, one.Audit)
		}
		if fast := alone(t, one, "fast"); fast.Whole().Count == 0 || fast.Rung != 2 || fast.Variant.Name != "a.fast" {
			t.Errorf("fast is %s of %d instances, with %d records", fast.Variant.Name, fast.Rung, fast.Whole().Count)
		}
		if started := r.Calls("Start"); slices.ContainsFunc(started, func(c campaigntest.Call) bool { return strings.HasPrefix(c.Name, "t2-slow") }) {
			t.Errorf("started: %v", started)
		}
		run, err := result.Open(r.options.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if tile, apart := run.Members(), run.Alone(); len(tile[0].Trials) != 1 || len(apart) != 1 || len(apart[0].Trials) != 1 || apart[0].Trials[0].ID != "a.fast/alone-fast/1" {
			t.Errorf("beside the other it has %d trials, alone %+v", len(tile[0].Trials), apart)
		}
	})
}

// ofTile checks what the files say of each member.
func ofTile(t *testing.T, r *runs) {
	t.Helper()
	run, err := result.Open(r.options.Dir)
	if err != nil {
		t.Fatal(err)
	}
	members := run.Members()
	if len(members) != 2 || members[0].Member() != "fast" || members[0].TilesOf(4) != 2 || len(members[0].Trials) != 1 {
		t.Fatalf("members are %+v", members)
	}
	off := 0
	own := members[0].Trials[0]
	if own.ID != "a.fast/2/1" || own.Tile().ID != "a/2/1" || own.Tile().Rung != 2 || len(own.Tile().Operations) != 0 {
		t.Errorf("the trial of the member alone is %s, of %+v", own.ID, own.Tile())
	}
	for record, err := range members[0].Records(own) {
		if err != nil || record.Member != "fast" || record.Driver != "fast-driver-0" {
			t.Fatalf("record %+v, %v", record, err)
		}
		if record.Off {
			off++
		}
	}
	if off < 1 {
		t.Error("no second of the bursty member is off")
	}
	for record, err := range run.Records(run.Trial("a.slow/2/1")) {
		if err != nil || record.Off || record.Member != "slow" {
			t.Fatalf("record %+v, %v", record, err)
		}
	}
	series, err := run.Series(run.Trial("a.slow/2/1"), "operation", "instance")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range series {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if want := "instance-000 instance-001 record"; strings.Join(names, " ") != want {
		t.Errorf("series of the slow member: %v, want %s", names, want)
	}
	if a, err := members[0].Audit(own); err != nil || a.Member != "fast" || len(a.Instances) != 4 {
		t.Errorf("the audit of the fast member is %+v, %v", a, err)
	}
}

// A workload that cannot be audited says what its correctness rests on instead.
func TestAWorkloadWithoutAudit(t *testing.T) {
	inTime(t, campaigntest.Tile([]int{1}, 1, campaigntest.Member("own", campaigntest.UnaskedName, 1)), func(r *runs) {
		r.WithMembers()
		trial := tiles(r.finishes())[0]
		if own := alone(t, trial, "own"); trial.Status != result.Passed || own.Audit != nil || own.Unaudited != "nothing is written" || own.Whole().Count == 0 {
			t.Errorf("%s, %v: audit %+v, unaudited %q", trial.Status, trial.Failure, own.Audit, own.Unaudited)
		}
	})
}

// A tile with an existing site, which nobody audits, and databases that Plimsoll starts.
func TestAnExternalServiceWithoutAudit(t *testing.T) {
	p := campaigntest.Tile([]int{2}, 1, campaigntest.Member("web", campaigntest.BrowserName, 1, "http://one.example/", "http://two.example/"),
		campaigntest.Member("own", campaigntest.WorkName, 1))
	inTime(t, p, func(r *runs) {
		r.WithMembers()
		trial := tiles(r.finishes())[0]
		passed(t, &trial.Trial)
		web, own := alone(t, trial, "web"), alone(t, trial, "own")
		if web.Audit != nil || web.Unaudited == "" || web.Provisioned != nil || web.Whole().Count < 200 || web.Profile.Unit.Name != "page" {
			t.Errorf("web: audit %+v, unaudited %q, %d pages", web.Audit, web.Unaudited, web.Whole().Count)
		}
		if own.Unaudited != "" || own.Audit == nil || !own.Audit.Passed || own.Audit.Instances != 2 || own.Audit.Acknowledged == 0 {
			t.Errorf("own: audit %+v, unaudited %q", own.Audit, own.Unaudited)
		}
		if a := trial.Audit; a == nil || !a.Passed || a.Instances != 2 || trial.Unaudited != "" {
			t.Errorf("the audit of all is %+v", a)
		}
	})
}

// A driver of one member that dies: the trial failed, the reason names the member, and the
// others are stopped in order. The next trial is as if nothing had been.
func TestADriverOfOneMemberThatDies(t *testing.T) {
	p := campaigntest.Tile([]int{1}, 2, campaigntest.Member("shop", campaigntest.WorkName, 1), campaigntest.Member("bulk", campaigntest.WorkName, 2))
	inTime(t, p, func(r *runs) {
		r.at("Observe", "", func() error {
			time.AfterFunc(6*time.Second, func() { r.Kill("t1-bulk-driver-0", "out of memory") }) // when all have recorded something
			return nil
		})
		trials := tiles(r.finishes())
		failedTo(t, &trials[0].Trial, "drive", "member bulk", "bulk-driver-0 ended early", "out of memory")
		blames(t, &trials[0].Trial, "bulk")
		stopped := r.Calls("Task.Stop")
		if !slices.ContainsFunc(stopped, func(c campaigntest.Call) bool { return c.Name == "t1-shop-driver-0" }) {
			t.Errorf("stopped: %v", stopped)
		}
		if shop := alone(t, trials[0], "shop"); shop.Whole().Count == 0 || len(trials[0].Damage) != 1 || !strings.Contains(trials[0].Damage[0], "bulk-driver-0") {
			t.Errorf("shop wrote %d records; damage %q", shop.Whole().Count, trials[0].Damage)
		}
		passed(t, &trials[1].Trial)
	})
}

// blames checks whose failure it is.
func blames(t *testing.T, trial *result.Trial, member string) {
	t.Helper()
	if f := trial.Failure; f == nil || f.Member != member {
		t.Errorf("the failure is not blamed on %s: %+v", member, f)
	}
}

// A member that cannot start: the servers of the others are stopped, nothing is driven, and
// the reason is that member's. The next trial is as if nothing had been.
func TestAMemberThatCannotStart(t *testing.T) {
	p := campaigntest.Tile([]int{1}, 2, campaigntest.Member("shop", campaigntest.WorkName, 1), campaigntest.Member("bulk", campaigntest.WorkName, 1))
	inTime(t, p, func(r *runs) {
		r.at("Start", "t1-bulk-db-000", func() error {
			time.Sleep(5 * time.Second) // when the shop answers
			return errors.New("fork: resource temporarily unavailable")
		})
		trials := tiles(r.finishes())
		failedTo(t, &trials[0].Trial, "start", "member bulk", "bulk-db-000", "fork: resource temporarily unavailable")
		blames(t, &trials[0].Trial, "bulk")
		if one := trials[0]; !strings.HasPrefix(one.Failure.Reason, "no more processes can be started") || len(one.Members) != 2 || len(one.Members[0].Operations) != 0 {
			t.Errorf("the reason is %q, members are %+v", one.Failure.Reason, one.Members)
		}
		if stopped := r.Calls("Process.Stop"); !slices.ContainsFunc(stopped, func(c campaigntest.Call) bool { return c.Name == "t1-shop-db-000" }) {
			t.Errorf("stopped: %v", stopped)
		}
		passed(t, &trials[1].Trial)
	})
}

// A server of one member that ends while users are at work: the others are stopped, and the
// trial is that member's failure.
func TestAMemberThatDiesInMidTrial(t *testing.T) {
	p := campaigntest.Tile([]int{1}, 2, campaigntest.Member("shop", campaigntest.WorkName, 1), campaigntest.Member("bulk", campaigntest.WorkName, 1))
	inTime(t, p, func(r *runs) {
		r.at("Observe", "", func() error {
			time.AfterFunc(6*time.Second, func() { r.Kill("t1-bulk-db-000", "signal: killed") })
			return nil
		})
		trials := tiles(r.finishes())
		failedTo(t, &trials[0].Trial, "drive", "member bulk", "bulk-db-000", "signal: killed")
		blames(t, &trials[0].Trial, "bulk")
		if stopped := r.Calls("Task.Stop"); !slices.ContainsFunc(stopped, func(c campaigntest.Call) bool { return c.Name == "t1-shop-driver-0" }) {
			t.Errorf("stopped: %v", stopped)
		}
		passed(t, &trials[1].Trial)
	})
}

// What an audit of one member does not find fails the trial, and names the member.
func TestARecordOfOneMemberThatIsLost(t *testing.T) {
	p := campaigntest.Tile([]int{1}, 1, campaigntest.Member("shop", campaigntest.WorkName, 1), campaigntest.Member("bulk", campaigntest.WorkName, 1))
	inTime(t, p, func(r *runs) {
		r.at("Workload.Audit", "", func() error { r.LoseRecord("bulk-db-000"); return nil })
		trial := tiles(r.finishes())[0]
		failedTo(t, &trial.Trial, "audit", "member bulk: the audit failed: instance 0: every acknowledged record is in db")
		blames(t, &trial.Trial, "bulk")
		if n := strings.Count(trial.Failure.Cause, "bulk: "); n != 1 {
			t.Errorf("the member is named %d times: %s", n, trial.Failure.Cause)
		}
		if shop := alone(t, trial, "shop"); shop.Audit == nil || !shop.Audit.Passed || len(shop.Evidence) != 0 {
			t.Errorf("the audit of the shop is %+v, evidence %v", shop.Audit, shop.Evidence)
		}
		if bulk := alone(t, trial, "bulk"); bulk.Audit.Passed || len(bulk.Evidence) != 1 || bulk.Evidence[0].Path == "" {
			t.Errorf("the audit of bulk is %+v, evidence %v", bulk.Audit, bulk.Evidence)
		}
		if len(trial.Evidence) != 1 || strings.Contains(trial.Evidence[0].Path, "shop") {
			t.Errorf("kept: %+v", trial.Evidence)
		}
	})
}

// A run of members that crashed goes on where it was.
func TestATileIsResumed(t *testing.T) {
	p := campaigntest.Tile([]int{1}, 2, campaigntest.Member("shop", campaigntest.WorkName, 1), campaigntest.Member("bulk", campaigntest.WorkName, 1))
	inTime(t, p, func(r *runs) {
		r.at("Class.Clone", "t2-bulk-db-000", func() error { return r.Crash(r.home+"/copies", r.options.Dir, r.options.Scratch) })
		if crashed, err := r.run(); !crashed {
			t.Fatalf("it did not crash: %v", err)
		}
		if err := r.clear(); err != nil {
			t.Fatal(err)
		}
		trials := tiles(r.finishes())
		passed(t, wholes(trials)...)
		if len(trials) != 2 || len(trials[1].Members) != 2 {
			t.Errorf("%d trials", len(trials))
		}
	})
}
