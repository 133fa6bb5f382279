// Package campaign runs a plan: it makes golden volumes, and for each trial
// provisions volumes, starts the instances, drives them, observes, audits and
// tears down. Everything that stays behind is journalled before it is made;
// a campaign that was interrupted can be resumed or cleaned.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// Parts are the implementations that a campaign chooses from.
type Parts struct {
	Workloads workload.Registry
	Kinds     storage.Registry
	Engines   map[string]app.Engine
	// Platforms are those that a study may name, and Platform is the one that was
	// chosen; see On.
	Platforms map[string]platform.Kind
	Platform  platform.Kind
	// References are the published results that a study may name.
	References []string
	// Untested are the engines that a plan may use although nobody ever tried them.
	Untested []string
}

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
	Progress   func(Event)
	// Feed, where it is not nil, gets records and samples of the running trial.
	Feed Feed
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
	parts    Parts
	journal  *journal.Journal
	platform platform.Platform
	classes  classes
	golden   golden
	writer   *result.Writer
	began    time.Time
	pace     pace
	limits   limits
	has      platform.Capacity // what the platform had when it began; nothing where it does not tell
	lastNote string            // the last note, not to be repeated
	events   sync.Mutex        // guards the events of the running trial
	// pending is true if databases on existing servers may not have been given back.
	pending atomic.Bool
}

// ErrInterrupted is the error of a campaign that was stopped from outside. Its finished trials
// are kept, and `plimsoll run --resume` continues it.
var ErrInterrupted = errors.New("interrupted")

// Run executes the plan. Trials that the run directory already holds are kept.
// It returns an error only for what stops a whole campaign; a failed trial is
// a result.
func Run(ctx context.Context, parts Parts, o Options) error {
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

func begin(ctx context.Context, parts Parts, o Options) (*Campaign, error) {
	c := &Campaign{o: o, parts: parts, began: time.Now()}
	var err error
	if c.journal, err = journal.Open(filepath.Join(o.Dir, result.JournalFile), o.RunID); err != nil {
		return nil, err
	}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.end(ctx, err))
	}
	return c, nil
}

// open makes what every trial needs.
func (c *Campaign) open(ctx context.Context) (err error) {
	if err := c.journal.Started(c.o.Machine.Plimsoll); err != nil {
		return err
	}
	if err := c.makeScratch(); err != nil {
		return err
	}
	if c.writer, err = c.openResults(); err != nil {
		return err
	}
	c.platform, err = c.parts.Platform.New(platform.Env{
		RunID: c.o.RunID, Work: c.o.Scratch, Cache: c.o.Cache, CacheLimit: c.o.CacheLimit,
		Executable: c.o.Executable, Journal: c.journal, Log: c.o.Log,
	})
	if err != nil {
		return fmt.Errorf("prepare the platform: %w", err)
	}
	if has, err := c.parts.Platform.Capacity(ctx); err == nil { // else limits stay as they are
		c.has, c.limits.machines = has, len(has.Nodes)
	}
	c.classes = newClasses(c)
	c.pending.Store(c.o.Resume)
	c.golden = golden{c: c, made: map[string]dataset{}, tried: map[string]int{}}
	c.pace = newPace(c.o.Plan)
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
	if err := c.journal.Making(o); err != nil {
		return err
	}
	if err := safefile.Make(c.o.Scratch, 0o711); err != nil {
		return errors.Join(fmt.Errorf("make the work directory: %w; choose another with --work", err), c.journal.Removed(o))
	}
	return c.journal.Made(o)
}

// trials runs the planned trials and then those that the search asks for.
func (c *Campaign) trials(ctx context.Context) error {
	finished := c.finished()
	for _, t := range c.o.Plan.Trials {
		if r := finished[t.ID]; len(r) > 0 {
			c.pace.skip(t)
			c.say(outcomeEvent(TrialKept, r))
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
		c.pace.add(t)
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
		c.say(Event{Kind: Note, Text: why})
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
	patient, cancel := c.patient(ctx)
	defer cancel()
	c.say(Event{Kind: Stage, Text: "clean up"})
	errs := []error{c.giveBackRest(patient)}
	if c.platform != nil {
		errs = append(errs, c.platform.Close(patient))
	}
	errs = append(errs, c.classes.down(patient))
	errs = append(errs, c.sweep(ctx))
	if cause == nil && ctx.Err() == nil {
		errs = append(errs, c.journal.Note("run-finished", nil))
	}
	return errors.Join(append(errs, c.journal.Close())...)
}

// sweep removes everything that the journal still lists: the scratch directory, and objects that
// the orderly shutdown left.
func (c *Campaign) sweep(ctx context.Context) error {
	state, err := journal.Read(filepath.Join(c.o.Dir, result.JournalFile))
	if err != nil {
		return err
	}
	ctx, cancel := c.outlasting(ctx, lastSweep)
	defer cancel()
	owners := c.parts.Owners(func() (*plan.Plan, error) { return c.o.Plan, nil })
	return c.journal.Swept(owners.Sweep(ctx, state, journal.AtEnd))
}

// lastSweep is how long the sweep goes on after patience has ended: a
// killed process is gone in a moment; anything else is for `plimsoll
// clean`.
const lastSweep = 2 * time.Second

// patient gives a context for clean-up: not cancelled with ctx, but bounded.
func (c *Campaign) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return c.outlasting(ctx, 0)
}

// outlasting gives a context that goes on for a while after patience has ended.
func (c *Campaign) outlasting(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	p, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	if c.o.Patience == nil {
		return p, cancel
	}
	forget := context.AfterFunc(c.o.Patience, func() { time.AfterFunc(grace, cancel) })
	return p, func() {
		forget() // patience lasts longer than any clean-up
		cancel()
	}
}

// find looks for an engine where servers run.
func (c *Campaign) find(ctx context.Context, e app.Engine, version string) (app.Installation, error) {
	return c.platform.Find(ctx, e, version, c.o.Fetch)
}

func (c *Campaign) variant(name string) (study.Variant, error) {
	for _, v := range c.o.Plan.Variants {
		if v.Name == name {
			return v, nil
		}
	}
	return study.Variant{}, fmt.Errorf("the plan names a variant %q that it does not define", name)
}
