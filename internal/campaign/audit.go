package campaign

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// auditsAtOnce is how many instances are started and audited at once.
const auditsAtOnce = 4

// audit asks every instance whether everything that was acknowledged is there.
// It asks the medium: whatever servers and kernel still have in memory is
// dropped first.
func (t *trial) audit(ctx context.Context) error {
	t.say(Event{Kind: Stage, Text: "audit"})
	source, err := t.dropCaches(ctx)
	if err != nil {
		return err
	}
	audit, auditErr := t.examine(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	audit.Summary.Source = source
	t.result.Audit = &audit.Summary
	if err := errors.Join(auditErr, t.files.Audit(audit)); err != nil {
		return err
	}
	if !audit.Summary.Passed {
		return fmt.Errorf("the audit failed: %s", audit.Summary.Text)
	}
	return t.removeDrivers()
}

// dropCaches stops the servers and takes their volumes out of the caches, as
// far as the storage class can. It says what is read from there on.
func (t *trial) dropCaches(ctx context.Context) (source string, err error) {
	if l, ok := t.class.(storage.Lifter); ok { // what is there does not depend on how fast it is read
		if err := l.Lift(); err != nil {
			return "", fmt.Errorf("lift the limits of %s: %w", t.variant.StorageName, err)
		}
	}
	if err := t.each(ctx, "stop instances for the audit", 16, (*instance).stop); err != nil {
		return "", err
	}
	r, ok := t.class.(storage.Remounter)
	if !ok {
		return fmt.Sprintf("servers were stopped and started again; storage class %s cannot drop caches below them", t.variant.Storage.Class), nil
	}
	t.say(Event{Kind: Stage, Text: "drop the caches of the storage"})
	done, err := r.Remount(ctx)
	if err != nil {
		return "", fmt.Errorf("drop the caches of %s: %w", t.variant.StorageName, err)
	}
	return "servers were stopped and started again; in between, Plimsoll " + done, nil
}

// examine starts every instance again and audits it. An instance that cannot
// be audited is an error, and does not keep the others from it.
func (t *trial) examine(ctx context.Context) (*result.Audit, error) {
	whole := &result.Audit{Instances: make([]workload.AuditResult, len(t.instances))}
	errs := make([]error, len(t.instances))
	err := t.each(ctx, "audit", auditsAtOnce, func(i *instance, ctx context.Context) error {
		whole.Instances[i.number], errs[i.number] = i.audit(ctx)
		return ctx.Err()
	})
	whole.Summary = summarise(whole.Instances)
	return whole, errors.Join(err, errors.Join(errs...))
}

// audit starts the instance without limits, has the engine check its files and
// the workload its contents.
func (i *instance) audit(ctx context.Context) (workload.AuditResult, error) {
	r := workload.AuditResult{Instance: i.number}
	w, params, err := i.t.c.workload(i.t.variant)
	if err != nil {
		return r, err
	}
	server := i.server()
	server.Limits = app.Limits{}
	if err := i.run(ctx, server); err != nil {
		return r, fmt.Errorf("%s: start it again for the audit: %w", i.name, err)
	}
	checks, checkErr := i.check(ctx)
	r, err = w.Audit(ctx, i.target(), params, i.t.c.o.Plan.Study.Seed, i.t.acksOf(i.number))
	r.Instance = i.number
	r.Checks = append(r.Checks, checks...)
	if err := errors.Join(checkErr, err); err != nil {
		return r, fmt.Errorf("%s: audit: %w", i.name, err)
	}
	return r, nil
}

// check is the engine's own, if it has one.
func (i *instance) check(ctx context.Context) ([]workload.AuditCheck, error) {
	c, ok := i.t.c.parts.Engines[i.t.variant.Engine.Name].(app.Checker)
	if !ok {
		return nil, nil
	}
	return c.Check(ctx, i.config().AsAdmin(i.target()))
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
		if s.Passed && !a.Passed() {
			s.Passed = false
			s.Text = fmt.Sprintf("instance %d could not be asked", a.Instance)
		}
	}
	if s.Passed {
		s.Text = fmt.Sprintf("all %d acknowledged orders present, stock agrees", s.Present)
	}
	return s
}
