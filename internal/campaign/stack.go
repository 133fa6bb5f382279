package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// member is a role of every instance of a variant, with what fills it: a server
// that is started on a volume, somebody's server, or a volume alone.
type member struct {
	role   workload.Role
	spec   study.Engine
	engine app.Engine       // nil for a volume alone
	in     app.Installation // of a server that is started
	kind   string           // of its endpoints
	sites  study.Target     // somebody's web sites that fill it, by instance
}

// existing says that the server is somebody's.
func (m member) existing() bool { return m.spec.Existing != nil }

// started says that the server is ours to start and stop.
func (m member) started() bool { return m.engine != nil && !m.existing() }

// keeps says that it keeps data, which are prepared and audited.
func (m member) keeps() bool { return !m.role.Stateless }

// onVolume says that a volume of the storage class belongs to it.
func (m member) onVolume() bool { return m.keeps() && !m.existing() && m.sites == nil }

// copies is how many of it an instance has.
func (m member) copies() int { return m.spec.Copies() }

// slot names a copy within its instance: "db-0".
func (m member) slot(number int) string { return fmt.Sprintf("%s-%d", m.role.Name, number) }

// finder looks for an installation of an engine.
type finder func(ctx context.Context, e app.Engine, version string) (app.Installation, error)

// members is what every instance of a variant consists of, each after what it
// waits for. Servers that are to be started are looked for.
func (p Parts) members(ctx context.Context, v study.Variant, find finder) ([]member, error) {
	w, params, err := p.workload(v)
	if err != nil {
		return nil, err
	}
	roles, err := inOrder(w.Roles(params))
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name(), err)
	}
	var all []member
	var lacking []error // all of them, so that all can be installed at once
	if foreign(v) {
		return ofSites(v, roles)
	}
	for _, r := range roles {
		m, err := p.member(ctx, r, v, find)
		all, lacking = append(all, m), append(lacking, err)
	}
	if err := errors.Join(lacking...); err != nil {
		return nil, err
	}
	return all, nil
}

func (p Parts) member(ctx context.Context, r workload.Role, v study.Variant, find finder) (m member, err error) {
	m = member{role: r, spec: v.Server(r.Name)}
	if m.spec.Name == "" {
		kinds := p.volumeKinds(v.Storage)
		at := slices.IndexFunc(r.Kinds, func(kind string) bool { return slices.Contains(kinds, kind) })
		if at < 0 {
			return m, fmt.Errorf("nothing fills the role %s: the study names no engine for it, and volumes of storage %s are no %v", r.Name, v.StorageName, r.Kinds)
		}
		m.kind = r.Kinds[at]
		return m, nil
	}
	var ok bool
	if m.engine, ok = p.Engines[m.spec.Name]; !ok {
		return m, fmt.Errorf("unknown engine %q", m.spec.Name)
	}
	if m.kind = m.engine.Kind(); !slices.Contains(r.Kinds, m.kind) {
		return m, fmt.Errorf("%s speaks %s, which cannot fill the role %s: %v", m.spec.Name, m.kind, r.Name, r.Kinds)
	}
	if m.started() {
		m.in, err = find(ctx, m.engine, m.spec.Version)
	}
	return m, err
}

// describeMembers writes what fills the roles into the result.
func (t *trial) describeMembers() {
	able := t.c.platform.Abilities()
	t.result.Notes = append(t.result.Notes, able.Notes...)
	if d := t.variant.Deployment.OrBare(); d != study.Bare {
		t.note(fmt.Sprintf("deployment %s: users reach the instances over a virtual network, and not by unix sockets", d))
	}
	for _, m := range t.members {
		if m.sites != nil {
			t.result.Servers = append(t.result.Servers, result.Server{Role: m.role.Name, Name: "web site", Source: "existing", Count: 1, Stateless: true})
		}
		if m.engine == nil {
			continue
		}
		s := result.Server{
			Role: m.role.Name, Name: m.spec.Name, Version: m.in.Version, Source: m.in.Source, Count: m.copies(),
			CPU: float64(m.spec.CPU), Memory: int64(m.spec.Memory), GivesUp: app.GivenUp(m.engine, m.spec.Settings),
			Stateless: m.role.Stateless,
		}
		if m.existing() {
			s.Source = "existing"
		}
		if meter, ok := m.engine.(app.Meter); ok && m.started() {
			g := meter.Gauge()
			s.Gauge = &g
		}
		if noter, ok := m.engine.(app.Noter); ok && m.started() {
			t.result.Notes = append(t.result.Notes, noter.Notes(t.golden.config(m, t.members, t.variant, ""))...)
		}
		limits := s.CPU > 0 || s.Memory > 0
		s.Limited = limits && (s.CPU == 0 || able.CPULimits) && (s.Memory == 0 || able.MemoryLimits)
		if limits && !s.Limited {
			t.note("the limits of the " + m.role.Name + " servers are not enforced on this machine")
		}
		t.result.Servers = append(t.result.Servers, s)
	}
}

// keepers are the members that keep data.
func keepers(all []member) (some []member) {
	for _, m := range all {
		if m.keeps() {
			some = append(some, m)
		}
	}
	return some
}

// usersOf is how many connections a server is to provide for: those of the
// servers that use it, where they open some of their own, or else of the users.
func usersOf(m member, all []member, v study.Variant) int {
	if pooled := pooledOf(m, all, v); pooled > 0 {
		return pooled
	}
	return v.Load.Users
}

// pooledOf is how many connections to it the servers open that use it, 0 where they do
// not open some of their own.
func pooledOf(m member, all []member, v study.Variant) (pooled int) {
	for _, other := range all {
		pooler, ok := other.engine.(app.Pooler)
		if ok && slices.Contains(other.role.After, m.role.Name) {
			pooled += other.copies() * pooler.Connections(dataset{}.config(other, all, v, ""))
		}
	}
	return pooled
}

// inOrder sorts roles so that each comes after those that it waits for. None that
// keeps data may wait for one that does not: it is started without it.
func inOrder(roles []workload.Role) (sorted []workload.Role, err error) {
	placed, stateless := map[string]bool{}, map[string]bool{}
	for _, r := range roles {
		stateless[r.Name] = r.Stateless
	}
	for len(sorted) < len(roles) {
		before := len(sorted)
		for _, r := range roles {
			waits := slices.ContainsFunc(r.After, func(name string) bool { return !placed[name] || stateless[name] && !r.Stateless })
			if !placed[r.Name] && !waits {
				placed[r.Name] = true
				sorted = append(sorted, r)
			}
		}
		if len(sorted) == before {
			return nil, fmt.Errorf("its roles wait for each other, for one that is not there, or although they keep data for one that keeps none")
		}
	}
	return sorted, nil
}

// kindsOf says by which kind of endpoint each role is filled.
func kindsOf(all []member) workload.Kinds {
	kinds := workload.Kinds{}
	for _, m := range all {
		kinds[m.role.Name] = m.kind
	}
	return kinds
}

// inPlace says that every instance is prepared by itself: the data set cannot be
// cloned, or there is nothing to clone.
func inPlace(all []member, set workload.Dataset) bool {
	return set.Key == "" || slices.ContainsFunc(all, member.existing)
}
