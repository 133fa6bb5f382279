package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/text/words"
)

// trial is one trial while it runs.
type trial struct {
	c        *Campaign
	plan     plan.Trial
	variant  study.Variant
	storages []placedStorage // the variant's own first
	members  []*member
	result   *result.Tile
	files    *result.TrialWriter

	instances []*instance
	drivers   []*instanceDriver
	release   func(context.Context) error // of places for drivers
	live      *live
	unsummed  []result.Series // that are written and not yet in the result
	stage     string
	full      []string      // what had no space left when it was over, before it was taken down
	ended     chan<- ending // of servers that ended by themselves, while users are at work
	excluded  exclusions

	// What faults did. Written by the goroutine that carries them out, and
	// after it has ended.
	disturbed bool // faults were injected into the platform
	recovery  recovery
	faulted   bool // faults were injected into the storage
	repair    repair
	healthy   bool  // since the last repair
	powerCuts int   // of all that the instances live on
	degraded  []int // marks of faults that the storage has not recovered from
	lastCut   []int // mark of the power cut that ended the load, if one did
}

// trial runs one trial and writes its result. The error is for what stops the
// campaign: an interruption, or a result that cannot be written. Everything
// else is the trial's own failure.
func (c *Campaign) trial(ctx context.Context, p plan.Trial) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := c.newTrial(p)
	if err != nil {
		return err
	}
	defer t.files.Close() // of what was interrupted nothing is kept
	c.pace.begin(p)
	c.feed().Begin(result.Tile{Trial: t.result.Trial, Members: t.ofMembers()})
	c.say(Event{Kind: TrialBegan, Trial: p.ID, Variant: p.Variant, Rung: p.Rung, Alone: p.Alone})
	if err := c.journal.Note("trial-started", map[string]string{"trial": p.ID}); err != nil {
		return err
	}
	runErr := t.run(ctx)
	t.lookForSpace(ctx, runErr) // while what fills it is there
	downErr := t.down(ctx)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), downErr)
	}
	if runErr == nil && downErr != nil {
		t.stage, runErr = "teardown", downErr
	}
	return t.finish(ctx, runErr)
}

func (c *Campaign) newTrial(p plan.Trial) (*trial, error) {
	v, err := c.variant(p.Variant)
	if err != nil {
		return nil, err
	}
	t := &trial{c: c, plan: p, variant: v, result: &result.Tile{Trial: result.Trial{
		Schema: result.SchemaVersion, ID: p.ID, Variant: v,
		Rung: p.Rung, Alone: p.Alone, Repetition: p.Repetition, Position: p.Position, Seed: p.Seed, Attempt: p.Attempt,
		Begun: time.Now(), Status: result.Failed,
	}}}
	if t.members, err = t.newMembers(); err != nil {
		return nil, err
	}
	t.files, err = c.writer.Trial(p.ID)
	return t, err
}

// run goes through the stages; the first error ends it.
func (t *trial) run(ctx context.Context) error {
	defer t.noteHappenings()
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"provision", t.provision},
		{"start", t.start},
		{"settle", t.settle},
		{"drive", t.drive},
		{"recover", t.recover},
		{"heal", t.heal},
		{"audit", t.audit},
	} {
		t.stage = s.name
		if err := s.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// provision gives every instance its volume.
func (t *trial) provision(ctx context.Context) (err error) {
	if err := t.eachMember(func(m *member) error { return m.find(ctx) }); err != nil {
		return err
	}
	if t.storages, err = t.c.classes.get(ctx, t.variant); err != nil {
		return err
	}
	return t.eachMember(func(m *member) error { return m.provision(ctx) })
}

// cloneAtOnce is how many instances get their clones at once, at first.
const cloneAtOnce = 4

// start starts every instance and waits until all answer.
func (t *trial) start(ctx context.Context) error {
	if err := t.each(ctx, "start instances", 8, t.tolerantly((*instance).start)); err != nil {
		return err
	}
	t.describeServers()
	if err := t.readDurability(ctx); err != nil {
		return err
	}
	t.result.Ready = time.Now()
	return nil
}

// settle makes trials start alike: what provisioning left dirty is written.
func (t *trial) settle(ctx context.Context) error {
	t.say(Event{Kind: Stage, Text: "settle storage"})
	if err := t.emptyCaches(ctx); err != nil {
		return err
	}
	for _, s := range t.storages {
		done, err := s.Settle(ctx)
		if err != nil {
			return fmt.Errorf("settle %s: %w", s.name, err)
		}
		t.note(done)
		t.note(s.spec.OtherwiseNote)
	}
	t.describeStorages()
	return nil
}

// describeStorages writes what the instances lie on into the result.
func (t *trial) describeStorages() {
	t.result.Storage, t.result.Devices = t.mainStorage().Describe(), t.devices()
	for _, s := range t.storages[1:] {
		if t.result.Placed == nil {
			t.result.Placed = map[string]describe.Storage{}
		}
		t.result.Placed[s.name] = s.Describe()
	}
}

// emptyCaches drops volumes that no server uses from every cache, so that data
// that were just prepared are read from the medium. What stays is a doubt about
// the result.
func (t *trial) emptyCaches(ctx context.Context) error {
	if slices.ContainsFunc(t.instances, func(i *instance) bool { return len(i.volumes()) < len(i.servers) }) {
		return nil
	}
	remount := t.mainStorage().Capabilities().Remount
	if remount == nil {
		t.result.Doubts = append(t.result.Doubts, fmt.Sprintf("storage class %s cannot drop the caches of clients and servers: what was prepared or written may be read from their memory", t.variant.Storage.Class))
		return nil
	}
	did, err := remount(ctx)
	if err != nil {
		return fmt.Errorf("drop the caches of %s: %w", t.mainStorage().name, err)
	}
	t.note("before the trial, Plimsoll " + did.Done)
	t.result.Emptied = len(did.Kept) == 0
	for _, kept := range did.Kept {
		t.result.Doubts = append(t.result.Doubts, "caches were not emptied before the trial: they keep "+kept)
	}
	return nil
}

// note adds a note to the result; an empty one is none.
func (t *trial) note(text string) {
	if text != "" {
		t.result.Notes = append(t.result.Notes, text)
	}
}

func (t *trial) say(e Event) {
	if t.c.o.Progress == nil {
		return
	}
	e.Trial = t.plan.ID
	e.Instances, e.Ready = len(t.instances), t.readyInstances()
	t.c.say(e)
}

// down stops and deletes what the trial made, although ctx may be cancelled.
func (t *trial) down(ctx context.Context) error {
	patient, cancel := t.c.patient(ctx)
	defer cancel()
	t.say(Event{Kind: Stage, Text: "tear down"})
	driverErr := t.removeDrivers(patient)
	repairErr := errors.Join(t.repairPlatform(patient), t.repairStorage(patient))
	err := errors.Join(driverErr, repairErr, t.downAll(patient))
	if t.powerCuts > 0 { // file systems may be damaged where nobody has looked
		err = errors.Join(err, t.c.classes.retire(patient, t.variant))
	}
	return err
}

// finish writes the trial's result and reports how it went.
func (t *trial) finish(ctx context.Context, cause error) error {
	r := t.result
	r.Ended, r.Members = time.Now(), t.ofMembers()
	if cause == nil {
		r.Status = result.Passed
		t.keepAside(ctx)
	} else {
		r.Failure = t.failure(ctx, cause)
	}
	if err := t.files.Finish(r); err != nil {
		return fmt.Errorf("write the result of trial %s: %w", t.plan.ID, err)
	}
	if err := t.c.journal.Note("trial-finished", map[string]string{"trial": t.plan.ID, "status": string(r.Status)}); err != nil {
		return err
	}
	t.c.say(outcomeEvent(TrialEnded, r.Trials()))
	t.c.pace.finish()
	return nil
}

// timedError is an error that knows when it happened.
type timedError struct {
	at time.Time
	error
}

func (e timedError) Unwrap() error { return e.error }

func failureOf(err error, stage string) *result.Failure {
	f := &result.Failure{At: time.Now(), Stage: stage, Cause: sanitize.Masked(err.Error())}
	var timed timedError
	if errors.As(err, &timed) {
		f.At = timed.at
	}
	var of memberError
	if errors.As(err, &of) {
		f.Member = of.member
	}
	return f
}

// outcomeEvent shows the watcher how a trial of some members ended; figures are those of an
// only member.
func outcomeEvent(kind EventKind, members []*result.Trial) Event {
	r := members[0].Tile()
	e := Event{
		Kind: kind, Trial: r.ID, Variant: r.Variant.Name, Rung: r.Rung, Alone: r.Alone,
		Failed: r.Status != result.Passed, Text: outcome(members),
	}
	if len(members) == 1 {
		only := members[0]
		whole := only.Whole()
		e.Mean, e.P95, e.P99 = whole.Mean, whole.P95, whole.P99
		e.Throughput, e.Unit = only.Throughput(), only.Profile.Unit.Throughput
	}
	return e
}

// outcome is one line for the terminal.
func outcome(members []*result.Trial) string {
	if f := members[0].Failure; f != nil {
		return fmt.Sprintf("failed to %s: %s", f.Stage, f.Cause)
	}
	var texts []string
	for _, one := range members {
		text := measured(one)
		if name := one.Variant.Member; name != "" {
			text = name + ": " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// measured is what one application did, in a line.
func measured(r *result.Trial) string {
	whole := r.Whole()
	text := fmt.Sprintf("%s %s, %s", words.Figures(r.Throughput()), r.Profile.Unit.Throughput, words.ResponseTimes(whole.Mean, whole.P95, whole.P99))
	if r.Unfinished > 0 {
		text += fmt.Sprintf(", %d users had not finished", r.Unfinished)
	}
	if r.Audit != nil {
		text += ", audit: " + r.Audit.Text
	}
	return text
}
