package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// hurting carries the study's faults out while users are at work.
type hurting struct {
	failed chan error // of a fault that could not be carried out
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// hurt begins to carry the faults out at their times. What has begun is
// finished even when the users stop meanwhile; ctx ends everything.
func (t *trial) hurt(ctx context.Context) *hurting {
	h := &hurting{failed: make(chan error, 1)}
	users, stop := context.WithCancel(ctx)
	h.stop = stop
	h.done.Go(func() {
		if err := t.faults(ctx, users); err != nil {
			h.failed <- err
		}
	})
	return h
}

// end waits for the fault that is being carried out and leaves out the rest.
func (h *hurting) end() error {
	h.stop()
	h.done.Wait()
	select {
	case err := <-h.failed:
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
		if t.hurtStorage && repairs(f.Do) {
			t.watchHealing(users, faults[i+1:])
		}
	}
	return t.endByPowerCut(ctx, users)
}

// repairs says whether a fault undoes an earlier one.
func repairs(do string) bool {
	verb, _, _ := strings.Cut(do, " ")
	return verb == "restart" || verb == "restore"
}

func (t *trial) fault(ctx context.Context, do string) error {
	t.event("fault: " + described(do))
	var number int
	if n, _ := fmt.Sscanf(do, "kill instance %d", &number); n == 1 {
		return t.killInstance(ctx, number)
	}
	if part, ok := strings.CutPrefix(do, study.CutPower); ok {
		return t.powerFault(ctx, strings.TrimSpace(part))
	}
	class, ok := t.class.(storage.Faulter)
	if !ok {
		return fmt.Errorf("storage class %s does not support faults", t.variant.Storage.Class)
	}
	t.hurtStorage, t.whole = true, false
	if repairs(do) {
		t.repair = repair{do, time.Now()}
	}
	return class.Fault(ctx, do)
}

// described says what a fault is that might be taken for another.
func described(do string) string {
	if strings.HasPrefix(do, "kill ") {
		return do + " (its processes crash; unlike a power cut, the kernel still writes its caches to the disks)"
	}
	return do
}

// killInstance ends a server at once and starts it again on the same volume;
// its users come back by themselves.
func (t *trial) killInstance(ctx context.Context, number int) error {
	if number < 0 || number >= len(t.instances) {
		return fmt.Errorf("instance %d does not exist at this rung, only 0 to %d", number, len(t.instances)-1)
	}
	began := time.Now()
	if err := t.instances[number].restart(ctx); err != nil {
		return err
	}
	t.event(fmt.Sprintf("instance %d answers again %.1f s after it was killed", number, time.Since(began).Seconds()))
	return nil
}

// repair is what began to make the storage whole again.
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

// watchHealing asks while users are at work, until the storage is whole or the
// next fault is due.
func (t *trial) watchHealing(users context.Context, next []study.Fault) {
	if len(next) > 0 {
		due, cancel := context.WithDeadline(users, t.result.MeasureStart.Add(next[0].At.D()))
		defer cancel()
		users = due
	}
	class := t.class.(storage.Faulter)
	for sleepUntil(users, time.Now().Add(healInterval)) == nil {
		if whole, err := class.Healed(users); err == nil && whole {
			t.healed()
			return
		}
	}
}

func (t *trial) healed() {
	t.whole = true
	t.event(fmt.Sprintf("healed: full redundancy %.0f s after %q", time.Since(t.repair.at).Seconds(), t.repair.do))
}

// heal undoes what faults left and waits until redundancy is whole, so that
// the audit sees what was repaired and the next trial starts like this one.
func (t *trial) heal(ctx context.Context) error {
	if !t.hurtStorage {
		return nil
	}
	t.say(Event{Kind: Stage, Text: "wait for the storage to heal"})
	class := t.class.(storage.Faulter) // hurtStorage says so
	began := time.Now()
	undone, err := class.Mend(ctx)
	for _, do := range undone {
		t.event("after the load: " + do)
		t.whole, t.repair = false, repair{do, began}
	}
	if err != nil || t.whole {
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
		whole, err := class.Healed(ctx)
		if whole {
			t.healed()
			return nil
		}
		if sleepUntil(ctx, time.Now().Add(healInterval)) != nil {
			return errors.Join(fmt.Errorf("the storage has not regained full redundancy %s after %q", time.Since(t.repair.at).Round(time.Second), t.repair.do), err)
		}
	}
}

// mend undoes what faults left after a trial that failed before it could heal.
// Storage whose power was cut is not used again.
func (t *trial) mend(ctx context.Context) error {
	if !t.hurtStorage || t.whole || t.powerCuts > 0 {
		return nil
	}
	_, err := t.class.(storage.Faulter).Mend(ctx)
	return err
}

func (t *trial) event(text string) {
	t.c.events.Lock()
	defer t.c.events.Unlock()
	t.result.Events = append(t.result.Events, result.Event{At: time.Now(), Text: text})
}
