// Package campaign runs a plan: it opens the journal and the results, runs the planned trials and
// the trials that a search chooses, and gives everything back. Whatever a run leaves is journalled before it
// is made; a campaign that was interrupted can be resumed or cleaned.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/campaign/trial"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Options say what to run and where.
type Options struct {
	Plan    *plan.Plan
	Dir     string // run directory
	RunID   string // names everything that is made (journal.NewRunID)
	Scratch string // directory for volumes and secrets; removed at the end
	Cache   string // golden volumes, kept between runs
	// CacheLimit is what they may take there in bytes when the run ends; those
	// not used for longest are removed. 0 is no limit.
	CacheLimit int64
	// Executable is the plimsoll binary, for drivers and helpers.
	Executable string
	Resume     bool // the run directory holds a run that is to be continued
	Fetch      bool // engines that are not installed may be fetched
	// ErrorLimit is the share of failed work past which a trial fails.
	ErrorLimit float64
	Machine    result.Machine
	StudyText  []byte // as written, kept in the run directory
	Progress   func(progress.Event)
	// Feed, where it is not nil, gets records and samples of the running trial.
	Feed progress.Feed
	Log  *slog.Logger
	// Patience is cancelled when even the clean-up is to be cut short.
	Patience context.Context
	// Again chooses a trial that was measured and is to be measured again,
	// because something outside spoiled it; asked after every trial. Nil, or ok
	// false, goes on. why is shown to the watcher.
	Again func(run *result.Run) (t plan.Trial, why string, ok bool)
	// Next chooses trials after the planned ones (a search for the load
	// line); nil, or ok false, ends the campaign.
	Next func(run *result.Run) (t plan.Trial, why string, ok bool)
}

// Campaign is one execution of a plan.
type Campaign struct {
	o        Options
	env      trial.Env
	lastNote string // the last note, not to be repeated
}

// ErrInterrupted is the error of a campaign that was stopped from outside. Its finished trials
// are kept, and `plimsoll run --resume` continues it.
var ErrInterrupted = errors.New("interrupted")

// Run executes the plan. Trials that the run directory already holds are kept.
// It returns an error only for what stops a whole campaign; a failed trial is
// a result.
func Run(ctx context.Context, parts facts.Parts, o Options) error {
	c, err := begin(ctx, parts, o)
	if err != nil {
		return err
	}
	runErr := c.trials(ctx)
	endErr := c.end(ctx, runErr)
	if ctx.Err() != nil {
		return errors.Join(ErrInterrupted, endErr)
	}
	return errors.Join(runErr, endErr)
}

func begin(ctx context.Context, parts facts.Parts, o Options) (*Campaign, error) {
	j, err := journal.Open(filepath.Join(o.Dir, result.JournalFile), o.RunID)
	if err != nil {
		return nil, err
	}
	env := &instance.Env{
		Parts: parts, Plan: o.Plan, Journal: j, Borrowed: &giveback.Databases{Journal: j},
		Watch: progress.New(o.Plan, o.Progress, o.Feed), Clock: instance.Clock{Patience: o.Patience},
		Scratch: o.Scratch, Executable: o.Executable, Fetch: o.Fetch, Log: o.Log,
	}
	c := &Campaign{o: o, env: trial.Env{
		Env: env, Classes: instance.NewClasses(env), Golden: instance.NewGolden(env), Dir: o.Dir, ErrorLimit: o.ErrorLimit,
	}}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.end(ctx, err))
	}
	return c, nil
}

// open makes what every trial needs.
func (c *Campaign) open(ctx context.Context) (err error) {
	env := &c.env
	if err := env.Journal.Started(c.o.Machine.Plimsoll); err != nil {
		return err
	}
	if err := c.makeScratch(); err != nil {
		return err
	}
	if env.Results, err = c.openResults(); err != nil {
		return err
	}
	env.Platform, err = env.Parts.Platform.New(platform.Env{
		RunID: c.o.RunID, Work: c.o.Scratch, Cache: c.o.Cache, CacheLimit: c.o.CacheLimit,
		Executable: c.o.Executable, Journal: env.Journal, Log: c.o.Log,
	})
	if err != nil {
		return fmt.Errorf("prepare the platform: %w", err)
	}
	if has, err := env.Parts.Platform.Capacity(ctx); err == nil { // else limits stay as they are
		env.Cores, env.Steps.Machines = has.Cores, len(has.Nodes)
	}
	env.Steps.Refused = platform.CapabilitiesOf(env.Platform).Refused
	env.Borrowed.Platform = env.Platform
	env.Borrowed.Pending.Store(c.o.Resume)
	return nil
}

func (c *Campaign) openResults() (*result.Writer, error) {
	if c.o.Resume {
		return result.Continue(c.o.Dir)
	}
	return result.Create(c.o.Dir, c.o.StudyText, c.o.Plan, c.o.Machine)
}

// makeScratch makes the directory that volumes and secrets live in. Servers
// that run under another user must be able to pass through it, and no more.
func (c *Campaign) makeScratch() error {
	o := journal.Object{Kind: journal.Directory, Path: c.o.Scratch}
	if err := c.env.Journal.Making(o); err != nil {
		return err
	}
	if err := safefile.Make(c.o.Scratch, 0o711); err != nil {
		return errors.Join(fmt.Errorf("make the work directory: %w; choose another with --work", err), c.env.Journal.Removed(o))
	}
	return c.env.Journal.Made(o)
}

// trials runs the planned trials and then those that the search asks for.
func (c *Campaign) trials(ctx context.Context) error {
	finished := c.finished()
	for _, t := range c.o.Plan.Trials {
		if r := finished[t.ID]; len(r) > 0 {
			c.env.Watch.Skip(t)
			c.env.Watch.Say(trial.Outcome(progress.TrialKept, r))
			continue
		}
		if err := c.trialAndAgain(ctx, t); err != nil {
			return err
		}
	}
	// What a resumed run kept may have been spoiled too.
	if err := c.runChosen(ctx, c.o.Again, c.trial); err != nil {
		return err
	}
	return c.runChosen(ctx, c.o.Next, c.trialAndAgain)
}

// trialAndAgain runs a trial, and again whatever something outside spoiled.
func (c *Campaign) trialAndAgain(ctx context.Context, t plan.Trial) error {
	if err := c.trial(ctx, t); err != nil {
		return err
	}
	return c.runChosen(ctx, c.o.Again, c.trial)
}

func (c *Campaign) trial(ctx context.Context, t plan.Trial) error { return trial.Run(ctx, &c.env, t) }

// runChosen runs the trials that a choice made from the results so far asks for.
func (c *Campaign) runChosen(ctx context.Context, choose func(*result.Run) (plan.Trial, string, bool), do func(context.Context, plan.Trial) error) error {
	for choose != nil {
		run, err := result.Open(c.o.Dir)
		if err != nil {
			return err
		}
		t, why, ok := choose(run)
		c.note(why)
		if !ok {
			return nil
		}
		c.env.Watch.Add(t)
		if err := do(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// note says why something is done or not, once.
func (c *Campaign) note(why string) {
	if why != "" && why != c.lastNote {
		c.lastNote = why
		c.env.Watch.Say(progress.Event{Kind: progress.Note, Text: why})
	}
}

// finished are the members' trials that a resumed run already has, by the trial.
func (c *Campaign) finished() map[string][]*result.Trial {
	done := map[string][]*result.Trial{}
	run, err := result.Open(c.o.Dir)
	if err != nil {
		return done
	}
	for _, t := range run.Trials {
		id := t.Tile().ID
		done[id] = append(done[id], t)
	}
	return done
}

// end removes what the campaign made. It works on although ctx may be
// cancelled; only Options.Patience cuts it short.
func (c *Campaign) end(ctx context.Context, cause error) error {
	patient, cancel := c.env.Clock.Patient(ctx)
	defer cancel()
	c.env.Watch.Stage("clean up")
	var errs []error
	if c.env.Platform != nil {
		errs = append(errs, c.env.Borrowed.ReleaseRest(patient, c.env.Parts, c.o.Plan), c.env.Platform.Close(patient))
	}
	errs = append(errs, c.env.Classes.Down(patient))
	errs = append(errs, c.sweep(ctx))
	if cause == nil && ctx.Err() == nil {
		errs = append(errs, c.env.Journal.Note("run-finished", nil))
	}
	return errors.Join(append(errs, c.env.Journal.Close())...)
}

// sweep removes everything that the journal still lists: the scratch directory, and objects that
// the orderly shutdown left.
func (c *Campaign) sweep(ctx context.Context) error {
	state, err := journal.Read(filepath.Join(c.o.Dir, result.JournalFile))
	if err != nil {
		return err
	}
	ctx, cancel := c.env.Clock.Outlasting(ctx, lastSweep)
	defer cancel()
	owners := giveback.Owners(c.env.Parts, func() (*plan.Plan, error) { return c.o.Plan, nil })
	return c.env.Journal.Swept(owners.Sweep(ctx, state, journal.AtEnd))
}

// lastSweep is how long the sweep goes on after patience has ended: a
// killed process is gone in a moment; anything else is for `plimsoll
// clean`.
const lastSweep = 2 * time.Second
