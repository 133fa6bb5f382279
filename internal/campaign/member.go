package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
)

// member is one application of a trial's tile: instances that are alike, with the data and
// the load of their workload. A study without members has one, which has no name.
type member struct {
	t         *trial
	variant   study.Variant // as if it were alone
	roles     []filledRole
	golden    dataset
	result    result.Member // its part of the trial's result
	instances []*instance
	receipts  *receipts
}

// newMembers returns the members of a trial whose result has been begun. A trial of a single
// member has one.
func (t *trial) newMembers() (all []*member, err error) {
	for _, v := range t.variant.Tile() {
		if t.plan.Alone != "" && t.plan.Alone != v.Member {
			continue
		}
		w, params, err := t.c.parts.workload(v)
		if err != nil {
			return nil, err
		}
		m := &member{t: t, variant: v, result: result.Member{Name: v.Member}}
		m.result.Profile = w.Describe(params)
		if w.Capabilities().Audit == nil {
			m.result.Unaudited = m.result.Profile.Correctness
		}
		m.result.OpenLoop = v.Load.Rate > 0 || m.result.Profile.UserRate > 0
		all = append(all, m)
	}
	return all, nil
}

// prefixed prefixes a name with the member's: "shop-db-007". Names in a study without members have no
// prefix.
func (m *member) prefixed(name string) string { return study.Of(m.variant.Member, name) }

// load returns the load of each of its instances.
func (m *member) load() study.Load {
	return m.t.c.o.Plan.Study.Ladder.Load(m.variant.Load, m.t.plan.Rung)
}

func (m *member) phases() study.Phases {
	return m.t.c.o.Plan.Study.Phases.For(m.result.Profile.Fixed)
}

// blame has an error name the member.
func (m *member) blame(err error) error {
	var blamed memberError
	if err == nil || m.variant.Member == "" || errors.As(err, &blamed) {
		return err
	}
	return memberError{m.variant.Member, err}
}

// memberError is an error of one member.
type memberError struct {
	member string
	error
}

func (e memberError) Error() string { return "member " + e.member + ": " + e.error.Error() }

func (e memberError) Unwrap() error { return e.error }

// onVolumes reports whether any of its data is on volumes.
func (m *member) onVolumes() bool { return onVolumes(m.roles) }

// find finds out what its instances consist of.
func (m *member) find(ctx context.Context) (err error) {
	m.roles, err = m.t.c.parts.roles(ctx, m.variant, m.t.c.find)
	return err
}

// provision gives its instances their data, unless nobody may.
func (m *member) provision(ctx context.Context) (err error) {
	t := m.t
	for n := range m.variant.Weight * t.c.o.Plan.Study.Ladder.Instances(t.plan.Rung) {
		i, err := m.newInstance(n)
		if err != nil {
			return err
		}
		m.instances, t.instances = append(m.instances, i), append(t.instances, i)
	}
	if why := unaudited(m.roles); why != "" {
		m.result.Dataset, m.result.Unaudited = notOurs, why
		return nil
	}
	if m.golden, err = t.c.golden.get(ctx, m.variant, m.roles, t.storages); err != nil {
		return err
	}
	m.result.Dataset = m.golden.Description
	return m.provisionInstances(ctx)
}

// provisionInstances gives every instance its data, and notes how.
func (m *member) provisionInstances(ctx context.Context) error {
	did := result.Provisioning{By: m.golden.by, Why: m.golden.why, GoldenSeconds: m.golden.Took.Seconds()}
	do, what, first := (*instance).clone, "clone volumes", cloneAtOnce
	if m.golden.inPlace() {
		do, what, first = (*instance).prepare, "prepare instances", m.t.c.prepareAtOnce()
	}
	if err := m.importGolden(ctx); err != nil {
		return err
	}
	began := time.Now()
	err := m.t.eachOf(ctx, m.instances, what, first, m.t.tolerantly(do))
	did.Seconds, did.AtOnce = time.Since(began).Seconds(), m.t.c.mostAtOnce(what)
	m.result.Provisioned = &did
	return err
}

// importGolden brings each golden volume into the storage that its clones lie on, which is
// the same in all instances.
func (m *member) importGolden(ctx context.Context) error {
	for _, s := range m.instances[0].servers {
		for _, h := range s.ownVolumes {
			source, ok := m.golden.sources[h.slot]
			if !ok {
				continue
			}
			if err := h.storage.Import(ctx, m.golden.volumeKey(h.slot), source); err != nil {
				return fmt.Errorf("bring the golden volume into %s: %w", h.storage.name, err)
			}
		}
	}
	return nil
}

// newDrivers divides the member's instances among drivers. No driver serves two members.
func (m *member) newDrivers() ([]*instanceDriver, error) {
	params, err := json.Marshal(m.variant.Workload.Parameters)
	if err != nil {
		return nil, fmt.Errorf("write down the parameters of the workload: %w", err)
	}
	working, per := m.working(), m.variant.Load.InstancesPerDriver
	if per <= 0 {
		per = len(working)
	}
	var all []*instanceDriver
	for first := 0; first < len(working); first += per {
		d := &instanceDriver{name: m.prefixed(fmt.Sprintf("driver-%d", len(all))), member: m, done: make(chan struct{})}
		d.job = m.job(params, d)
		d.instances = working[first:min(first+per, len(working))]
		for _, i := range d.instances {
			d.job.Targets = append(d.job.Targets, i.target())
			d.volumes = append(d.volumes, i.volumes()...)
		}
		all = append(all, d)
	}
	if m.result.Profile.Fixed && (len(all) > 1 || len(m.t.members) > 1) {
		for _, d := range all { // others may still be at work when one has done its own
			d.job.Ceiling = 0
		}
	}
	return all, nil
}

func (m *member) job(params json.RawMessage, d *instanceDriver) driver.Job {
	phases, l := m.phases(), m.load()
	var linger, ceiling unit.Duration
	switch {
	case phases.End == study.CutPower: // users end with the power
		linger = unit.Duration(lingering)
	case m.result.Profile.Answered:
		ceiling = unit.Duration(ceilingTime)
	}
	return driver.Job{
		Name: d.name, Member: m.variant.Member, Workload: m.variant.Workload.Name, Parameters: params,
		Users: l.Users, ThinkTime: l.ThinkTime, Rate: l.Rate, Arrivals: l.Arrivals, Bursts: l.Bursts, RampRate: phases.RampRate,
		Warmup: phases.Warmup, Measure: phases.Measure, Linger: linger, Ceiling: ceiling,
		Seed: m.t.plan.Seed, ErrorLimit: m.t.c.o.ErrorLimit, Tolerate: m.t.tolerance().Of(len(m.instances)),
	}
}

// keepReceipts makes room for what its drivers keep.
func (m *member) keepReceipts() (err error) {
	m.receipts, err = newReceipts(filepath.Join(m.t.c.o.Scratch, "receipts", m.t.prefix()+m.prefixed("all")))
	return err
}

// collect sums what its drivers recorded.
func (m *member) collect() error {
	t := m.t
	sum, err := t.files.Sum(t.result.Start, m.result.Profile.Whole(), t.driversOf(func(of *member) bool { return of == m }), t.driversOf(m.sets), t.excluded.numbers(m))
	if err != nil {
		return fmt.Errorf("collect what the drivers recorded: %w", err)
	}
	m.result.Operations, m.result.Instances, m.result.Drivers = sum.Operations, sum.Instances, sum.Drivers
	m.result.Bursts = sum.Bursts
	m.nameVolumes()
	t.result.Events = append(t.result.Events, sum.Events...)
	t.result.Damage = append(t.result.Damage, sum.Damage()...)
	if m.result.Profile.Fixed {
		m.boundFixed(sum)
	}
	for n := range sum.Series {
		if s := &sum.Series[n]; s.Kind != "driver" { // drivers have names of their own
			s.Name = m.prefixed(s.Name)
		}
	}
	if err := t.keep(sum.Series); err != nil {
		return fmt.Errorf("keep what the drivers did by second: %w", err)
	}
	return nil
}

// driversOf names the drivers of some members, but for those that were lost.
func (t *trial) driversOf(some func(*member) bool) (names []string) {
	for _, d := range t.drivers {
		if some(d.member) && !d.lost {
			names = append(names, d.name)
		}
	}
	return names
}

// sets reports whether the bursts of another member, or its own, tell the seconds of this one
// apart: its own where it has some.
func (m *member) sets(by *member) bool {
	if m.variant.Load.Bursts != nil {
		return by == m
	}
	return by.variant.Load.Bursts != nil
}

// nameVolumes adds to the result of each instance the volumes that it lay
// on.
func (m *member) nameVolumes() {
	byNumber := map[int]*instance{}
	for _, i := range m.instances {
		byNumber[i.number] = i
	}
	for n := range m.result.Instances {
		at := &m.result.Instances[n]
		if i := byNumber[at.Instance]; i != nil {
			at.Volumes = i.volumeNames()
		}
	}
}

// boundFixed sets the bounds of the measured phase of fixed work: it begins with the first unit
// of work and ends when the last user is done. Users who did not finish are counted. A trial with
// fixed work has no other work.
func (m *member) boundFixed(sum *result.Summary) {
	r, users, ended := m.t.result, m.load().Users*len(m.working()), sum.Ended
	r.Unfinished = users
	if r.Stonewalled = sum.Stonewalled; r.Stonewalled != nil {
		r.Unfinished -= r.Stonewalled.Users
	}
	if r.Unfinished <= 0 {
		ended = sum.Finished // drivers take a moment more to end
	}
	if sum.Began.After(r.MeasureStart) {
		r.MeasureStart = sum.Began
	}
	if !ended.IsZero() && ended.Before(r.MeasureEnd) {
		r.MeasureEnd = ended
	}
	if r.Stonewalled != nil {
		r.Stonewalled.UserSeconds += float64(r.Unfinished) * r.MeasureEnd.Sub(r.MeasureStart).Seconds()
	}
}

// examine starts every instance again and audits it. The error is an
// interruption: an instance that cannot be audited has not passed its audit, and
// does not keep the others from theirs.
func (m *member) examine(ctx context.Context) (*result.Audit, error) {
	working, places := m.working(), map[*instance]int{}
	for n, i := range working {
		places[i] = n
	}
	all := &result.Audit{Member: m.variant.Member, Instances: make([]describe.Audit, len(working))}
	err := m.t.eachOf(ctx, working, "audit", auditsAtOnce, func(i *instance, ctx context.Context) error {
		r, err := i.audit(ctx)
		if err != nil {
			r.Checks = append(r.Checks, describe.Check{Name: "everything was asked", Uncounted: err.Error()})
		}
		r.Instance = i.number
		i.suspect = !r.Passed()
		all.Instances[places[i]] = r
		return ctx.Err()
	})
	all.Summary = summarise(all.Instances, len(m.instances)-len(working), m.result.Profile.Unit)
	m.result.Audit = &all.Summary
	return all, err
}

// eachMember does something for every member; an error names the one that it is about.
func (t *trial) eachMember(do func(*member) error) error {
	for _, m := range t.members {
		if err := do(m); err != nil {
			return m.blame(err)
		}
	}
	return nil
}

// ofMembers is what the result says of each member.
func (t *trial) ofMembers() (all []result.Member) {
	for _, m := range t.members {
		all = append(all, m.result)
	}
	return all
}

// removeReceipts removes the receipts of all members.
func (t *trial) removeReceipts() error {
	var errs []error
	for _, m := range t.members {
		errs = append(errs, m.receipts.remove())
	}
	return errors.Join(errs...)
}

// each gives every application of some variants, each as a variant of its own.
func each(some []study.Variant) (all []study.Variant) {
	for _, v := range some {
		all = append(all, v.Tile()...)
	}
	return all
}
