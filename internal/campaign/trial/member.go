package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
)

// member is one application of a trial's tile: instances that are alike, with the data and
// the load of their workload. A study without members has one, which has no name.
type member struct {
	*instance.Application
	t         *trial
	result    result.Member // its part of the trial's result
	instances []*instance.Instance
	receipts  *receipts
}

// newMembers returns the members of a trial whose result has been begun. A trial of a single
// member has one.
func (t *trial) newMembers() (all []*member, err error) {
	for _, v := range t.variant.Tile() {
		if t.plan.Alone != "" && t.plan.Alone != v.Member {
			continue
		}
		w, params, err := t.Parts.Workload(v)
		if err != nil {
			return nil, err
		}
		m := &member{
			t: t, result: result.Member{Name: v.Member},
			Application: &instance.Application{Env: t.Env.Env, Variant: v, Prefix: t.prefix()},
		}
		m.Users = m.load().Users
		m.result.Profile = w.Describe(params)
		if w.Capabilities().Audit == nil {
			m.result.Unaudited = m.result.Profile.Correctness
		}
		m.result.OpenLoop = v.Load.Rate > 0 || m.result.Profile.UserRate > 0
		all = append(all, m)
	}
	return all, nil
}

// load returns the load of each of its instances.
func (m *member) load() study.Load {
	return m.t.Plan.Study.Ladder.Load(m.Variant.Load, m.t.plan.Rung)
}

func (m *member) phases() study.Phases {
	return m.t.Plan.Study.Phases.For(m.result.Profile.Fixed)
}

// blame has an error name the member.
func (m *member) blame(err error) error {
	var blamed memberError
	if err == nil || m.Variant.Member == "" || errors.As(err, &blamed) {
		return err
	}
	return memberError{m.Variant.Member, err}
}

// find finds out what its instances consist of.
func (m *member) find(ctx context.Context) (err error) {
	m.Roles, err = m.Parts.Roles(ctx, m.Variant, m.Find)
	return err
}

// provision gives its instances their data, unless nobody may.
func (m *member) provision(ctx context.Context) (err error) {
	t := m.t
	m.Storages = t.storages
	for n := range m.Variant.Weight * t.Plan.Study.Ladder.Instances(t.plan.Rung) {
		i, err := m.New(n)
		if err != nil {
			return err
		}
		m.instances, t.instances = append(m.instances, i), append(t.instances, i)
	}
	if why := facts.Unaudited(m.Roles); why != "" {
		m.result.Dataset, m.result.Unaudited = facts.NotOurs, why
		return nil
	}
	if m.Data, err = t.Golden.Get(ctx, m.Variant, m.Roles, t.storages); err != nil {
		return err
	}
	m.result.Dataset = m.Data.Description
	return m.provisionInstances(ctx)
}

// provisionInstances gives every instance its data, and notes how.
func (m *member) provisionInstances(ctx context.Context) error {
	did := result.Provisioning{By: m.Data.By, Why: m.Data.Why, GoldenSeconds: m.Data.Took.Seconds()}
	do, what, first := (*instance.Instance).Clone, "clone volumes", cloneAtOnce
	if m.Data.InPlace() {
		do, what, first = (*instance.Instance).Prepare, "prepare instances", m.t.prepareAtOnce()
	}
	if err := m.instances[0].ImportGolden(ctx); err != nil {
		return err
	}
	began := time.Now()
	err := m.t.eachOf(ctx, m.instances, what, first, m.t.tolerantly(do))
	did.Seconds, did.AtOnce = time.Since(began).Seconds(), m.t.Steps.Most(what)
	m.result.Provisioned = &did
	return err
}

// newDrivers divides the member's instances among drivers. No driver serves two members.
func (m *member) newDrivers() ([]*instanceDriver, error) {
	params, err := json.Marshal(m.Variant.Workload.Parameters)
	if err != nil {
		return nil, fmt.Errorf("write down the parameters of the workload: %w", err)
	}
	working, per := m.working(), m.Variant.Load.InstancesPerDriver
	if per <= 0 {
		per = len(working)
	}
	var all []*instanceDriver
	for first := 0; first < len(working); first += per {
		d := &instanceDriver{name: m.Named(fmt.Sprintf("driver-%d", len(all))), member: m, done: make(chan struct{})}
		d.job = m.job(params, d)
		d.instances = working[first:min(first+per, len(working))]
		for _, i := range d.instances {
			d.job.Targets = append(d.job.Targets, i.Target())
			d.volumes = append(d.volumes, i.Volumes()...)
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
		Name: d.name, Member: m.Variant.Member, Workload: m.Variant.Workload.Name, Parameters: params,
		Users: l.Users, ThinkTime: l.ThinkTime, Rate: l.Rate, Arrivals: l.Arrivals, Bursts: l.Bursts, RampRate: phases.RampRate,
		Warmup: phases.Warmup, Measure: phases.Measure, Linger: linger, Ceiling: ceiling,
		Seed: m.t.plan.Seed, ErrorLimit: m.t.ErrorLimit, Tolerate: m.t.tolerance().Of(len(m.instances)),
	}
}

// keepReceipts makes room for what its drivers keep.
func (m *member) keepReceipts() (err error) {
	m.receipts, err = newReceipts(filepath.Join(m.t.Scratch, "receipts", m.t.prefix()+m.Named("all")))
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
		if s := &sum.Series[n]; s.Kind != describe.DriverKind { // drivers have names of their own
			s.Name = m.Named(s.Name)
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
	if m.Variant.Load.Bursts != nil {
		return by == m
	}
	return by.Variant.Load.Bursts != nil
}

// nameVolumes adds to the result of each instance the volumes that it lay
// on.
func (m *member) nameVolumes() {
	byNumber := map[int]*instance.Instance{}
	for _, i := range m.instances {
		byNumber[i.Number] = i
	}
	for n := range m.result.Instances {
		at := &m.result.Instances[n]
		if i := byNumber[at.Instance]; i != nil {
			at.Volumes = i.VolumeNames()
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
	working, places := m.working(), map[*instance.Instance]int{}
	for n, i := range working {
		places[i] = n
	}
	all := &result.Audit{Member: m.Variant.Member, Instances: make([]describe.Audit, len(working))}
	err := m.t.eachOf(ctx, working, "audit", auditsAtOnce, func(i *instance.Instance, ctx context.Context) error {
		r, err := i.Audit(ctx, m.receipts.open(i.Number), m.t.faulted)
		if err != nil {
			r.Checks = append(r.Checks, describe.Check{Name: "everything was asked", Uncounted: err.Error()})
		}
		r.Instance = i.Number
		all.Instances[places[i]] = r
		return ctx.Err()
	})
	for n, i := range working {
		if !all.Instances[n].Passed() {
			m.t.suspects = append(m.t.suspects, i)
		}
	}
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

// memberOf is the member that an instance is of.
func (t *trial) memberOf(i *instance.Instance) *member {
	at := slices.IndexFunc(t.members, func(m *member) bool { return m.Application == i.App })
	return t.members[at]
}

// Bounds of how many instances are prepared in place at once, at first.
const (
	fewestPrepared = 2
	mostPrepared   = 16
)

// prepareAtOnce is how many instances are prepared in place at once, at first: who loads and
// who stores take a core each.
func (t *trial) prepareAtOnce() int {
	return max(fewestPrepared, min(int(t.Cores)/2, mostPrepared))
}
