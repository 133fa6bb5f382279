// Package instance builds the instances of an application on a platform: it brings their storage up,
// loads or clones their data, starts, asks and stops their servers, and gives back what they
// borrowed. It knows nothing of trials.
package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// Env is what instances are built with.
type Env struct {
	Parts    facts.Parts
	Plan     *plan.Plan
	Platform platform.Platform
	Journal  *journal.Journal
	Borrowed *giveback.Databases
	Watch    *progress.Watch
	Clock    Clock
	// Scratch is the directory of volumes and secrets of the run.
	Scratch string
	// Executable is the plimsoll binary, for helpers of storage classes.
	Executable string
	Fetch      bool // engines that are not installed may be fetched
	Log        *slog.Logger
}

// Find looks for an engine where servers run.
func (e *Env) Find(ctx context.Context, of app.Engine, version string) (app.Installation, error) {
	return e.Platform.Find(ctx, of, version, e.Fetch)
}

// Clock bounds what is done when a run ends.
type Clock struct {
	// Patience is cancelled when even the clean-up is to be cut short; nil is never.
	Patience context.Context
}

// Patient gives a context for clean-up: not cancelled with ctx, but bounded.
func (c Clock) Patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return c.Outlasting(ctx, 0)
}

// Outlasting gives a context that goes on for a while after patience has ended.
func (c Clock) Outlasting(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	p, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	if c.Patience == nil {
		return p, cancel
	}
	forget := context.AfterFunc(c.Patience, func() { time.AfterFunc(grace, cancel) })
	return p, func() {
		forget() // patience lasts longer than any clean-up
		cancel()
	}
}

// Application is what the instances of one workload have in common.
type Application struct {
	*Env
	Variant study.Variant // as if it were alone
	Roles   []facts.Role
	// Storages are those of the variant, its own first; none where the platform makes the
	// volumes.
	Storages []Storage
	Data     Dataset
	Users    int    // of each instance
	Prefix   string // of names that have to be unique in the run
}

// Named prefixes a name with the member's: "shop-db-007". Names in a study without members have no
// prefix.
func (a *Application) Named(name string) string { return study.Of(a.Variant.Member, name) }

// config is what a server of a role is like.
func (a *Application) config(m facts.Role, name string) app.Config {
	return facts.Accounts{Set: a.Data.set, Password: a.Data.Password, Admin: a.Data.Admin}.Config(m, a.Roles, a.Variant, name)
}

// OnVolumes reports whether any of its data is on volumes.
func (a *Application) OnVolumes() bool { return facts.OnVolumes(a.Roles) }

// Describe describes its servers for the result, with notes about them.
func (a *Application) Describe() (servers []result.Server, notes []string) {
	for _, r := range a.Roles {
		some, about := fillerOf(r).describe(a, r)
		servers, notes = append(servers, some...), append(notes, about...)
	}
	return servers, notes
}

// work describes its workload to a task.
func (a *Application) work(t workload.Target) (job.Work, error) {
	params, err := json.Marshal(a.Variant.Workload.Parameters)
	if err != nil {
		return job.Work{}, fmt.Errorf("write down the parameters of the workload: %w", err)
	}
	return job.Work{Workload: a.Variant.Workload.Name, Parameters: params, Seed: a.Plan.Study.Seed, Target: t}, nil
}
