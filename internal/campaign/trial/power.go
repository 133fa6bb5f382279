package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/study"
)

const (
	// cutAfter is how long after the measured phase the power is cut, so that
	// the measurements are not affected. The cut ends the load.
	cutAfter = time.Second
	// lingering is how long users are at work after the measured phase, until
	// well after the cut.
	lingering = 3 * time.Second
)

// powerFault cuts the power of everything, which comes back at once.
func (t *trial) powerFault(ctx context.Context) error {
	if err := t.cutPower(ctx); err != nil {
		return err
	}
	return t.restorePower(ctx)
}

// endByPowerCut cuts the power when the measured phase is over and the users
// are still at work.
func (t *trial) endByPowerCut(ctx, users context.Context) error {
	if t.Plan.Study.Phases.End != study.CutPower {
		return nil
	}
	if sleepUntil(users, t.result.MeasureEnd.Add(cutAfter)) != nil {
		return nil // something else ended the load
	}
	t.lastCut = []int{t.mark(event.Event{Text: study.CutPower, Verb: event.Verb{Breaks: true}})}
	return t.cutPower(ctx)
}

// cutPower cuts the power of the storage and of all instances. The storage
// comes first, so that nothing can be acknowledged that it did not keep.
func (t *trial) cutPower(ctx context.Context) error {
	t.recovery.halt() // all are started again
	t.endGone()
	for _, i := range t.working() {
		i.ExpectEnd()
	}
	err := t.cutStorage(ctx, "")
	return errors.Join(err, t.each(ctx, "", 16, (*instance.Instance).Kill))
}

// cutStorage cuts the power of all storage, or of a part of the variant's own.
func (t *trial) cutStorage(ctx context.Context, part string) error {
	cut := t.storages[:1]
	if part == "" {
		cut = t.storages
	}
	t.powerCuts++
	for _, s := range cut {
		can := s.Class.Capabilities()
		if can.Power == nil {
			return fmt.Errorf("storage class %s does not support power cuts", s.Spec.Class)
		}
		t.faulted, t.healthy = t.faulted || can.Healer != nil, false
		loss, err := can.Power.CutPower(ctx, part, t.plan.Seed+uint64(t.powerCuts))
		if err != nil {
			return err
		}
		t.event("data lost by the power cut: " + loss.String())
	}
	return nil
}

// recover brings back what the power cut at the end of the load took away.
func (t *trial) recover(ctx context.Context) error {
	if t.Plan.Study.Phases.End != study.CutPower {
		return nil
	}
	if t.powerCuts == 0 {
		return errors.New("the load ended before the power was cut")
	}
	if err := t.healPlatform(ctx); err != nil {
		return err
	}
	t.begin("recover from the power cut")
	if err := t.restoreStorage(ctx); err != nil {
		return err
	}
	if err := t.startAfterPowerCut(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.event(err.Error()) // the audit asks those that start, and fails for the others
		return nil
	}
	t.over(t.lastCut...)
	return nil
}

// restorePower has the file systems and then the servers recover.
func (t *trial) restorePower(ctx context.Context) error {
	if err := t.restoreStorage(ctx); err != nil {
		return err
	}
	return t.startAfterPowerCut(ctx)
}

func (t *trial) restoreStorage(ctx context.Context) error {
	t.repair = repair{"the power returned", time.Now()}
	for _, s := range t.storages {
		power := s.Class.Capabilities().Power
		if power == nil {
			continue
		}
		if err := power.RestorePower(ctx); err != nil {
			return fmt.Errorf("after the power cut: %w", err)
		}
	}
	t.event(fmt.Sprintf("the storage is back %.1f s after the power returned", time.Since(t.repair.at).Seconds()))
	return nil
}

func (t *trial) startAfterPowerCut(ctx context.Context) error {
	if err := t.each(ctx, "start instances after the power cut", 8, t.startAgain); err != nil {
		return fmt.Errorf("after the power cut: %w", err)
	}
	t.event(fmt.Sprintf("all instances answer again %.1f s after the power returned", time.Since(t.repair.at).Seconds()))
	return nil
}
