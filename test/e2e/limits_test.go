package e2e

import (
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// limited is a study of few users and of many, whose limit is chosen by the test.
const limited = `study: limited
workload: WORKLOAD
engine: ENGINE
storage:
  it: STORAGE
ladder: {of: users, rungs: [1, 8]}
phases: {warmup: WARMUP, measure: 10s, ramp_rate: 0}
load: {users: 1, think_time: THINK}
objectives: ["p95 <= 60s"]
`

const slowDisk = "{class: disk, media: hdd-7200, size: 2GiB}"

// What response times are spent on is named by component, and by the server's own name of it:
// flushes of a slow log device, a row that all users change, a CPU quota, and a redo log that is too
// small. Every trial is audited.
//
// On a machine that tests share, users wait for the CPU, too: no more is asked than that the
// cause which was made grew most, apart from that.
func TestWhatLimitsIsNamed(t *testing.T) {
	needDisk(t)
	for _, c := range []struct {
		name, workload, engine, storage, warmup, think string
		component                                      describe.Component
		wait                                           string // its longest wait, where servers have names for it
		role                                           string // whose it is
	}{
		{
			name: "log-device", workload: "{name: dvdstore, parameters: {size: 10MB, n_searches: 3}}", engine: "{name: postgres, memory: 256MiB}",
			storage: slowDisk, warmup: "2s", think: "0s", component: describe.DeviceWait, wait: "WAL flush",
		},
		{
			name: "row-lock", workload: "{name: oltp, parameters: {mode: update_non_index, tables: 1, table_size: 1}}", engine: "{name: postgres, memory: 256MiB}",
			storage: slowDisk, warmup: "2s", think: "0s", component: describe.LockWait, wait: "row lock", role: "db",
		},
		{
			name: "quota", workload: "{name: oltp, parameters: {mode: read_only, tables: 1}}", engine: "{name: postgres, memory: 256MiB, cpu: 0.1}",
			storage: "{class: directory, path: memory}", warmup: "2s", think: "0s", component: describe.QuotaWait, role: "db",
		},
		{
			name: "small-redo-log", workload: "{name: oltp, parameters: {mode: update_index, tables: 1, table_size: 100000, rand_type: uniform}}",
			engine:  "{name: mariadb, memory: 256MiB, settings: {innodb_log_file_size: 4194304, innodb_flush_log_at_trx_commit: 2, innodb_io_capacity: 100, innodb_io_capacity_max: 100}}",
			storage: slowDisk, warmup: "10s", think: "0s", component: describe.DeviceWait, wait: "checkpoint of a full redo log",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // with the others here: they wait for what limits them
			s := newSite(t)
			s.plimsoll(0, "run", s.write("limited.yaml", replace(limited, "WORKLOAD", c.workload, "ENGINE", c.engine, "STORAGE", c.storage, "WARMUP", c.warmup, "THINK", c.think)),
				"--name", "limited", "--min-grade", "F", "--error-limit", "1")
			a := attributed(t, s.run("limited"))
			for _, g := range a.Growth {
				if g.Component == describe.CPUWait {
					continue // of a machine that is shared
				}
				if g.Component != c.component || c.role != "" && g.Role != c.role || c.wait != "" && (len(g.Waits) == 0 || g.Waits[0].Name != c.wait) {
					t.Errorf("%+v grew most, want %s of %q, %q", g, c.component, c.role, c.wait)
				}
				return
			}
			t.Errorf("nothing grew: %+v", a)
		})
	}
}

// attributed is the growth of response time of a run's only variant.
func attributed(t *testing.T, dir string) *timeprofile.Attribution {
	t.Helper()
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.Audit == nil || !trial.Audit.Passed {
			t.Errorf("trial %s is not audited: %+v", trial.ID, trial.Audit)
		}
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Variants[0].Time == nil {
		t.Fatalf("no growth of the response time is attributed: %s", a.Headline)
	}
	t.Logf("%+v", a.Variants[0].Time)
	return a.Variants[0].Time
}
