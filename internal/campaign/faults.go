package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// injection carries the study's faults out while users are at work.
type injection struct {
	failed chan error // of a fault that could not be carried out
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// inject begins to carry the faults out at their times. What has begun is
// finished even when the users stop meanwhile; ctx ends everything.
func (t *trial) inject(ctx context.Context) *injection {
	j := &injection{failed: make(chan error, 1)}
	users, stop := context.WithCancel(ctx)
	j.stop = stop
	j.done.Go(func() {
		if err := t.faults(ctx, users); err != nil {
			j.failed <- err
		}
	})
	return j
}

// end waits for the fault that is being carried out and leaves out the rest.
func (j *injection) end() error {
	j.stop()
	j.done.Wait()
	select {
	case err := <-j.failed:
		return err
	default:
		return nil
	}
}

func (t *trial) faults(ctx, users context.Context) error {
	faults := t.c.o.Plan.Study.Faults
	for i, f := range faults {
		if sleepUntil(users, t.result.MeasureStart.Add(f.At.D())) != nil {
			return nil
		}
		t.say(Event{Kind: Note, Text: "fault: " + f.Do})
		if err := t.fault(ctx, f.Do); err != nil {
			return fmt.Errorf("fault %q: %w", f.Do, err)
		}
		if t.action(f.Do).Verb == "" && t.effect(f.Do).Repairs {
			t.watchHealing(users, faults[i+1:])
		}
	}
	return t.endByPowerCut(ctx, users)
}

// action reads what a fault does; without a verb it is the storage class's.
func (t *trial) action(do string) study.Action {
	if a := study.ParseAction(do); a.Verb != "" {
		return a
	}
	if p, ok := t.c.parts.Platform.(platform.FaultChecker); ok {
		return p.ParseFault(do)
	}
	return study.Action{}
}

// effect says what a fault's action means: the campaign's own verbs, or what
// the platform or the storage class says of its own.
func (t *trial) effect(do string) storage.Effect {
	switch t.action(do).Verb {
	case study.KillInstance:
		return storage.Effect{Note: storage.Crash}
	case study.CutPower:
		return storage.Effect{}
	case "":
		if class, ok := t.mainStorage().Class.(storage.Faulter); ok {
			return class.Effect(do)
		}
		return storage.Effect{}
	}
	if p, ok := t.c.platform.(platform.Faulter); ok {
		return p.Effect(do)
	}
	return storage.Effect{}
}

func (t *trial) fault(ctx context.Context, do string) error {
	effect := t.effect(do)
	mark := t.mark(do, effect)
	switch a := t.action(do); a.Verb {
	case study.KillInstance:
		return t.overAfter(mark, t.killInstance(ctx, a.Instance, a.Role))
	case study.CutPower:
		if a.Part == "" {
			return t.overAfter(mark, t.powerFault(ctx))
		}
		t.degraded = append(t.degraded, mark)
		return t.cutStorage(ctx, a.Part)
	case "":
		if !effect.Repairs {
			t.degraded = append(t.degraded, mark)
		}
		return t.storageFault(ctx, do, effect)
	}
	return t.platformFault(ctx, do, effect.Repairs, mark)
}

// mark notes that a fault is injected now, and gives its place among the events.
func (t *trial) mark(do string, effect storage.Effect) int {
	text := "fault: " + do
	if effect.Note != "" {
		text += " (" + effect.Note + ")"
	}
	return t.happened(result.Event{At: time.Now(), Text: text, Fault: do, Repairs: effect.Repairs})
}

// over notes that the effects of faults are over, by their marks.
func (t *trial) over(marks ...int) {
	t.c.events.Lock()
	defer t.c.events.Unlock()
	for _, mark := range marks {
		t.result.Events[mark].Until = time.Now()
	}
}

// overAfter notes that a fault's effect is over, unless what should have ended it failed.
func (t *trial) overAfter(mark int, err error) error {
	if err == nil {
		t.over(mark)
	}
	return err
}

func (t *trial) storageFault(ctx context.Context, do string, effect storage.Effect) error {
	class, ok := t.mainStorage().Class.(storage.Faulter)
	if !ok {
		return fmt.Errorf("storage class %s does not support faults", t.variant.Storage.Class)
	}
	t.faulted, t.healthy = true, false
	if effect.Repairs {
		t.repair = repair{do, time.Now()}
	}
	return class.Inject(ctx, do)
}

// killInstance kills the servers of an instance, or only its servers of one role, and starts them
// again on the same volumes. Its users reconnect by themselves, and so do its servers that use
// other servers.
func (t *trial) killInstance(ctx context.Context, number int, role string) error {
	if number < 0 || number >= len(t.instances) {
		return fmt.Errorf("instance %d does not exist at this rung, only 0 to %d", number, len(t.instances)-1)
	}
	if t.isGone(t.instances[number]) {
		return fmt.Errorf("instance %d failed before and was set aside", number)
	}
	part := t.instances[number].part(role)
	if part.away() {
		return fmt.Errorf("instance %d has not come back from an earlier fault", number)
	}
	began := time.Now()
	if err := part.restart(ctx); err != nil {
		return err
	}
	what := fmt.Sprintf("instance %d", number)
	if role != "" {
		what = fmt.Sprintf("role %s of %s", role, what)
	}
	t.event(fmt.Sprintf("%s answers again %.1f s after it was killed", what, time.Since(began).Seconds()))
	return nil
}

// repair is what began to give the storage its redundancy back.
type repair struct {
	do string
	at time.Time
}

// healLimit bounds the wait for redundancy after the users have gone, and
// healInterval is how often the storage is asked: each time costs it work.
const (
	healLimit    = 5 * time.Minute
	healInterval = 2 * time.Second
)

// watchHealing asks while users are at work, until the storage is healthy or
// the next fault is due.
func (t *trial) watchHealing(users context.Context, next []study.Fault) {
	if len(next) > 0 {
		due, cancel := context.WithDeadline(users, t.result.MeasureStart.Add(next[0].At.D()))
		defer cancel()
		users = due
	}
	class := t.mainStorage().Class.(storage.Faulter)
	for sleepUntil(users, time.Now().Add(healInterval)) == nil {
		if healthy, err := class.Healthy(users); err == nil && healthy {
			t.regained()
			return
		}
	}
}

func (t *trial) regained() {
	t.healthy = true
	t.over(t.degraded...)
	t.degraded = nil
	t.event(fmt.Sprintf("healed: full redundancy %.0f s after %q", time.Since(t.repair.at).Seconds(), t.repair.do))
}

// heal undoes what faults left and waits until redundancy is complete, so that
// the audit sees what was repaired and the next trial starts like this one.
func (t *trial) heal(ctx context.Context) error {
	if err := t.healPlatform(ctx); err != nil || !t.faulted {
		return err
	}
	t.say(Event{Kind: Stage, Text: "wait for the storage to heal"})
	class := t.mainStorage().Class.(storage.Faulter) // faulted says so
	began := time.Now()
	undone, err := class.Repair(ctx)
	for _, do := range undone {
		t.event("after the load: " + do)
		t.healthy, t.repair = false, repair{do, began}
	}
	if err != nil || t.healthy {
		return err
	}
	if t.repair.do == "" {
		t.repair = repair{"the end of the load", began}
	}
	return t.awaitHealing(ctx, class)
}

func (t *trial) awaitHealing(ctx context.Context, class storage.Faulter) error {
	ctx, cancel := context.WithTimeout(ctx, healLimit)
	defer cancel()
	for {
		healthy, err := class.Healthy(ctx)
		if healthy {
			t.regained()
			return nil
		}
		if sleepUntil(ctx, time.Now().Add(healInterval)) != nil {
			return errors.Join(fmt.Errorf("the storage has not regained full redundancy %s after %q", words.Span(time.Since(t.repair.at)), t.repair.do), err)
		}
	}
}

// repairStorage undoes what faults left after a trial that failed before it could heal.
// Storage whose power was cut is not used again.
func (t *trial) repairStorage(ctx context.Context) error {
	if !t.faulted || t.healthy || t.powerCuts > 0 {
		return nil
	}
	_, err := t.mainStorage().Class.(storage.Faulter).Repair(ctx)
	return err
}

func (t *trial) event(text string) { t.happened(result.Event{At: time.Now(), Text: text}) }

// happened adds an event and gives its place among them.
func (t *trial) happened(e result.Event) int {
	t.c.events.Lock()
	defer t.c.events.Unlock()
	t.result.Events = append(t.result.Events, e)
	return len(t.result.Events) - 1
}
