package campaign

import (
	"context"
	"fmt"
	"sync"

	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// audit asks every instance whether everything that was acknowledged is there.
func (t *trial) audit(ctx context.Context) error {
	w, params, err := t.c.workload(t.variant)
	if err != nil {
		return err
	}
	t.say(Event{Kind: Stage, Text: "audit"})
	if l, ok := t.class.(storage.Lifter); ok { // what is there does not depend on how fast it is read
		if err := l.Lift(); err != nil {
			return fmt.Errorf("lift the limits of %s: %w", t.variant.StorageName, err)
		}
	}
	whole := result.Audit{Instances: make([]workload.AuditResult, len(t.instances))}
	var mu sync.Mutex
	err = t.each(ctx, "audit", 2, func(i *instance, ctx context.Context) error {
		r, err := w.Audit(ctx, i.target(), params, t.c.o.Plan.Study.Seed, t.acksOf(i.number))
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		mu.Lock()
		defer mu.Unlock()
		whole.Instances[i.number] = r
		return nil
	})
	if err != nil {
		return err
	}
	whole.Summary = summarise(whole.Instances)
	t.result.Audit = &whole.Summary
	if err := t.files.Audit(&whole); err != nil {
		return err
	}
	if !whole.Summary.Passed {
		return fmt.Errorf("the audit failed: %s", whole.Summary.Text)
	}
	return t.removeDrivers()
}

// acksOf finds the driver that played users against the instance.
func (t *trial) acksOf(instance int) func(yield func(workload.Ack) bool) error {
	for _, d := range t.drivers {
		for _, target := range d.job.Targets {
			if target.Instance == instance {
				return d.acks(instance)
			}
		}
	}
	return func(func(workload.Ack) bool) error {
		return fmt.Errorf("no driver played users against instance %d", instance)
	}
}

func summarise(all []workload.AuditResult) result.AuditSummary {
	s := result.AuditSummary{Passed: true, Instances: len(all)}
	for _, a := range all {
		s.Acknowledged += a.Acknowledged
		s.Present += a.Present
		s.Doubtful += a.Doubtful
		for _, check := range a.Checks {
			if !check.Passed && s.Passed {
				s.Passed = false
				s.Text = fmt.Sprintf("instance %d: %s: expected %d, found %d", a.Instance, check.Name, check.Expected, check.Found)
			}
		}
		s.Passed = s.Passed && a.Passed()
	}
	if s.Passed {
		s.Text = fmt.Sprintf("all %d acknowledged orders present, stock agrees", s.Present)
	}
	return s
}
