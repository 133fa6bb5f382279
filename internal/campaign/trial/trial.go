// Package trial runs one trial of a plan: it provisions and starts the instances, drives them,
// observes, carries events out, audits and tears down, and writes the result.
package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Run runs one trial and writes its result. The error is for what stops the
// campaign: an interruption, or a result that cannot be written. Everything
// else is the trial's own failure.
func Run(ctx context.Context, env *Env, p plan.Trial) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := newTrial(env, p)
	if err != nil {
		return err
	}
	defer t.files.Close() // of what was interrupted nothing is kept
	t.Watch.Begin(p, result.Tile{Trial: t.result.Trial, Members: t.ofMembers()})
	if err := t.Journal.Note("trial-started", map[string]string{"trial": p.ID}); err != nil {
		return err
	}
	runErr := t.run(ctx)
	t.lookForSpace(ctx, runErr) // while what fills it is there
	downErr := t.down(ctx)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), downErr)
	}
	if runErr == nil && downErr != nil {
		t.stage, runErr = result.StageTeardown, downErr
	}
	return t.finish(ctx, runErr)
}

func newTrial(env *Env, p plan.Trial) (*trial, error) {
	v, ok := env.Plan.Variant(p.Variant)
	if !ok {
		return nil, fmt.Errorf("the plan names a variant %q that it does not define", p.Variant)
	}
	t := &trial{Env: env, plan: p, variant: v, result: &result.Tile{Trial: result.Trial{
		Schema: result.SchemaVersion, ID: p.ID, Variant: v,
		Rung: p.Rung, Alone: p.Alone, Repetition: p.Repetition, Position: p.Position, Seed: p.Seed, Attempt: p.Attempt,
		Begun: time.Now(), Status: result.Failed,
	}}}
	var err error
	if t.members, err = t.newMembers(); err != nil {
		return nil, err
	}
	t.files, err = env.Results.Trial(p.ID)
	return t, err
}

// run goes through the stages; the first error ends it.
func (t *trial) run(ctx context.Context) error {
	defer t.noteHappenings()
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{
		{result.StageProvision, t.provision},
		{result.StageStart, t.start},
		{result.StageSettle, t.settle},
		{result.StageDrive, t.drive},
		{result.StageRecover, t.recover},
		{result.StageHeal, t.heal},
		{result.StageAudit, t.audit},
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
	if t.storages, err = t.Classes.Get(ctx, t.variant); err != nil {
		return err
	}
	return t.eachMember(func(m *member) error { return m.provision(ctx) })
}

// cloneAtOnce is how many instances get their clones at once, at first.
const cloneAtOnce = 4

// start starts every instance and waits until all answer.
func (t *trial) start(ctx context.Context) error {
	if err := t.each(ctx, "start instances", 8, t.tolerantly((*instance.Instance).Start)); err != nil {
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
	t.begin("settle storage")
	if err := t.emptyCaches(ctx); err != nil {
		return err
	}
	for _, s := range t.storages {
		done, err := s.Settle(ctx)
		if err != nil {
			return fmt.Errorf("settle %s: %w", s.Name, err)
		}
		t.note(done)
		t.note(s.Spec.OtherwiseNote)
	}
	t.describeStorages()
	return nil
}

// describeStorages writes what the instances lie on into the result.
func (t *trial) describeStorages() {
	t.result.Storages, t.result.Devices = map[string]*describe.Storage{}, t.devices()
	for _, s := range t.storages {
		t.result.Storages[s.Name] = new(s.Describe())
	}
}

// emptyCaches drops volumes that no server uses from every cache, so that data
// that were just prepared are read from the medium. What stays is a doubt about
// the result.
func (t *trial) emptyCaches(ctx context.Context) error {
	if slices.ContainsFunc(t.instances, func(i *instance.Instance) bool { return len(i.Volumes()) < len(i.Servers) }) {
		return nil
	}
	remount := t.mainStorage().Capabilities().Remount
	if remount == nil {
		t.result.Doubts = append(t.result.Doubts, fmt.Sprintf("storage class %s cannot drop the caches of clients and servers: what was prepared or written may be read from their memory", t.variant.Storage().Class))
		return nil
	}
	did, err := remount(ctx)
	if err != nil {
		return fmt.Errorf("drop the caches of %s: %w", t.mainStorage().Name, err)
	}
	t.note("before the trial, Plimsoll " + did.Done)
	t.result.Emptied = len(did.Kept) == 0
	for _, kept := range did.Kept {
		t.result.Doubts = append(t.result.Doubts, "caches were not emptied before the trial: they keep "+kept)
	}
	return nil
}

// down stops and deletes what the trial made, although ctx may be cancelled.
func (t *trial) down(ctx context.Context) error {
	patient, cancel := t.Clock.Patient(ctx)
	defer cancel()
	t.begin("tear down")
	driverErr := t.removeDrivers(patient)
	repairErr := errors.Join(t.repairPlatform(patient), t.repairStorage(patient))
	err := errors.Join(driverErr, repairErr, t.downAll(patient))
	if t.powerCuts > 0 { // file systems may be damaged where nobody has looked
		err = errors.Join(err, t.Classes.Retire(patient, t.variant))
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
	if err := t.Journal.Note("trial-finished", map[string]string{"trial": t.plan.ID, "status": string(r.Status)}); err != nil {
		return err
	}
	t.Watch.Ended(Outcome(progress.TrialEnded, r.Trials()))
	return nil
}
