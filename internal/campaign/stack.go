package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// filledRole is a role of every instance of a variant, with what fills it.
type filledRole struct {
	role   workload.Role
	spec   study.Engine
	engine app.Engine // nil where no engine's server fills it
	kind   string     // of its endpoints
	by     filler
	need   workload.Presence // includes the presence needed by the roles that use it
}

// ready is a role that knows when it takes part, as far as that does not depend on
// others.
func (m filledRole) ready() filledRole {
	m.need = m.by.needed(m.role)
	return m
}

// mounts returns the mounts of its servers for which volumes are made.
func (m filledRole) mounts() []workload.Mount { return m.by.mounts(m) }

// described is the description of servers in the result, whether started or
// existing.
func (m filledRole) described() result.Server {
	return result.Server{
		Role: m.role.Name, Name: m.spec.Name, Count: m.copies(), CPU: float64(m.spec.CPU), Memory: int64(m.spec.Memory),
		Stateless: len(m.role.Mounts) == 0,
	}
}

// copies is how many of it an instance has.
func (m filledRole) copies() int { return m.spec.Copies() }

// shared reports whether the servers of an instance live on the volumes of the first.
func (m filledRole) shared() bool {
	return app.CapabilitiesOf(m.engine).SharesVolumes && m.copies() > 1
}

// slotOf names a copy within its instance: "db-0".
func (m filledRole) slotOf(number int) string { return fmt.Sprintf("%s-%d", m.role.Name, number) }

// finder looks for an installation of an engine.
type finder func(ctx context.Context, e app.Engine, version string) (app.Installation, error)

// roles returns the roles of every instance of a variant, each after the roles that it waits for.
// It looks for the installations of servers that Plimsoll starts.
func (p Parts) roles(ctx context.Context, v study.Variant, find finder) ([]filledRole, error) {
	w, params, err := p.workload(v)
	if err != nil {
		return nil, err
	}
	roles, err := inOrder(w.Roles(params))
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name(), err)
	}
	var all []filledRole
	var lacking []error // all of them, so that all can be installed at once
	if len(v.Target) > 0 {
		return ofSites(v, roles)
	}
	for _, r := range roles {
		m, err := p.fill(ctx, r, v, find)
		all, lacking = append(all, m), append(lacking, err)
	}
	if err := errors.Join(lacking...); err != nil {
		return nil, err
	}
	return spread(all), nil
}

// spread has what a role uses take part whenever the role does. The roles are in
// the order of inOrder.
func spread(all []filledRole) []filledRole {
	for n := range slices.Backward(all) {
		for at := range all[:n] {
			if slices.Contains(all[n].role.After, all[at].role.Name) {
				all[at].need = all[at].need.Or(all[n].need)
			}
		}
	}
	return all
}

func (p Parts) fill(ctx context.Context, r workload.Role, v study.Variant, find finder) (m filledRole, err error) {
	m = filledRole{role: r, spec: v.Server(r.Name)}
	if m.spec.Name == "" {
		kinds := p.volumeKinds(v.Storage)
		at := slices.IndexFunc(r.Kinds, func(kind string) bool { return slices.Contains(kinds, kind) })
		if at < 0 {
			return m, fmt.Errorf("nothing fills the role %s: the study names no engine for it, and volumes of storage %s are no %v", r.Name, v.StorageName, r.Kinds)
		}
		m.kind, m.by = r.Kinds[at], bareVolumes{}
		return m.ready(), nil
	}
	var ok bool
	if m.engine, ok = p.Engines[m.spec.Name]; !ok {
		return m, fmt.Errorf("unknown engine %q", m.spec.Name)
	}
	if m.kind = m.engine.Kind(); !slices.Contains(r.Kinds, m.kind) {
		return m, fmt.Errorf("%s speaks %s, which cannot fill the role %s: %v", m.spec.Name, m.kind, r.Name, r.Kinds)
	}
	if m.by = (borrowedServers{}); m.spec.Existing == nil {
		in, findErr := find(ctx, m.engine, m.spec.Version)
		m.by, err = startedServers{in: in}, findErr
	}
	return m.ready(), err
}

// describeServers writes what fills the roles into the result.
func (t *trial) describeServers() {
	t.result.Notes = append(t.result.Notes, t.c.platform.Abilities().Notes...)
	if d := t.variant.Deployment.OrBare(); d != study.Bare {
		t.note(fmt.Sprintf("deployment %s: users reach the instances over a virtual network, and not by unix sockets", d))
	}
	for _, m := range t.members {
		for _, r := range m.roles {
			m.result.Servers = append(m.result.Servers, r.by.describe(m, r)...)
			t.doubtUntested(r)
		}
	}
}

// loaded are the roles that have to do with the data set: those that keep some, and
// those that have to be there while it is loaded.
func loaded(all []filledRole) (some []filledRole) {
	for _, m := range all {
		if m.need.Load || len(m.mounts()) > 0 {
			some = append(some, m)
		}
	}
	return some
}

// onVolumes reports whether any of the roles has volumes.
func onVolumes(all []filledRole) bool {
	return slices.ContainsFunc(all, func(m filledRole) bool { return len(m.mounts()) > 0 })
}

// unaudited says why nothing of the roles is prepared and audited; empty where it is.
func unaudited(all []filledRole) string {
	for _, m := range all {
		if why := m.by.unaudited(); why != "" {
			return why
		}
	}
	return ""
}

// connectionsFor returns how many connections a server has to provide for: the connections of the
// servers that use it, if they open some of their own, or else one for each user.
func connectionsFor(m filledRole, all []filledRole, v study.Variant) int {
	if pooled := pooledOf(m, all, v); pooled > 0 {
		return pooled
	}
	return v.Load.Users
}

// pooledOf is how many connections to it the servers open that use it, 0 where they do
// not open some of their own.
func pooledOf(m filledRole, all []filledRole, v study.Variant) (pooled int) {
	for _, other := range all {
		connections := app.CapabilitiesOf(other.engine).Connections
		if connections != nil && slices.Contains(other.role.After, m.role.Name) {
			pooled += other.copies() * connections(dataset{}.config(other, all, v, ""))
		}
	}
	return pooled
}

// inOrder sorts roles so that each comes after those that it waits for.
func inOrder(roles []workload.Role) (sorted []workload.Role, err error) {
	placed := map[string]bool{}
	for len(sorted) < len(roles) {
		before := len(sorted)
		for _, r := range roles {
			waits := slices.ContainsFunc(r.After, func(name string) bool { return !placed[name] })
			if !placed[r.Name] && !waits {
				placed[r.Name] = true
				sorted = append(sorted, r)
			}
		}
		if len(sorted) == before {
			return nil, fmt.Errorf("its roles wait for each other, or for one that is not there")
		}
	}
	return sorted, nil
}

// kindsOf says by which kind of endpoint each role is filled.
func kindsOf(all []filledRole) workload.Kinds {
	kinds := workload.Kinds{}
	for _, m := range all {
		kinds[m.role.Name] = m.kind
	}
	return kinds
}

// onDirectories reports whether all their mounts may be directories, as golden volumes are.
func onDirectories(all []filledRole) bool {
	return !slices.ContainsFunc(all, func(m filledRole) bool {
		return slices.ContainsFunc(m.mounts(), func(w workload.Mount) bool { return !slices.Contains(w.Kinds, endpoint.Directory) })
	})
}

// inPlace reports whether every instance is prepared by itself: the data
// set cannot be cloned, or there is nothing to clone.
func inPlace(all []filledRole, set workload.Dataset) bool {
	return set.Key() == "" || slices.ContainsFunc(all, func(m filledRole) bool { return !m.by.clones() })
}
