package campaigntest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/unit"
)

// Parts are what a campaign in the world chooses from.
func (w *World) Parts() facts.Parts {
	p := facts.Parts{Workloads: w.Workloads(), Kinds: w.Kinds(), Engines: w.Engines(), Platform: w.Platform()}
	for _, add := range w.with {
		add(&p)
	}
	return p
}

// Variant of a study: a stack, its storage and its load.
func Variant(name string, p Parameters) study.Variant {
	v := study.Variant{
		Name: name, StorageName: "mem", Storages: map[string]study.Storage{"mem": {Class: ClassName}},
		Application: study.Application{Stack: map[string]study.Engine{dbRole: {Name: DB}}, Workload: study.Workload{Name: WorkName, Parameters: &p}, Load: study.Load{Users: 2}},
	}
	if p.Web {
		v.Stack[webRole] = study.Engine{Name: Web, Count: 2}
	}
	return v
}

// OnExisting has the databases of a variant be existing ones, on host:port/database.
func OnExisting(v study.Variant, servers ...string) study.Variant {
	v.Stack[dbRole] = study.Engine{Name: DB, Existing: &study.Existing{Servers: servers, User: "me", PasswordEnv: PasswordEnv}}
	return v
}

// PasswordEnv is the variable with the password of existing servers.
const PasswordEnv = "CAMPAIGNTEST_PASSWORD"

// Plan has each variant's trials at some rungs, so many times.
func Plan(variants []study.Variant, rungs []int, repetitions int) *plan.Plan {
	s := &study.Study{
		Name: "fake", Repetitions: repetitions, Seed: 1, Ladder: study.Ladder{Rungs: rungs},
		Phases:    study.Phases{Warmup: unit.Duration(time.Second), Measure: unit.Duration(3 * time.Second)},
		Telemetry: study.Telemetry{Interval: unit.Duration(time.Second)},
	}
	p := &plan.Plan{Study: s, Variants: variants}
	for _, rung := range rungs {
		for r := range repetitions {
			for _, v := range variants {
				p.Append(v.Name, rung, r+1)
			}
		}
	}
	return p
}

// Bubble runs a test in simulated time.
func Bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Setenv(PasswordEnv, "secret")
	// What waits for signals waits for ever, and must not do so in the bubble.
	_, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	stop()
	synctest.Test(t, test)
}

// TempDir is a directory in memory, where syncing costs nothing, or else t's own.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "plimsoll-campaign-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(fmt.Errorf("remove the test's directory: %w", err))
		}
	})
	return dir
}
