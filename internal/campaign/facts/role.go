package facts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// Role is a role of every instance of a variant, with what fills it.
type Role struct {
	workload.Role
	Spec   study.Engine
	Engine app.Engine // nil where no engine's server fills it
	Kind   string     // of its endpoints
	By     Filler
	Need   workload.Presence // includes the presence needed by the roles that use it
}

// ready is a role that knows when it takes part, as far as that does not depend on
// others.
func (m Role) ready() Role {
	m.Need = m.By.Needed(m.Role)
	return m
}

// VolumeMounts returns the mounts of its servers for which volumes are made.
func (m Role) VolumeMounts() []describe.Mount { return m.By.Mounts(m) }

// Described is the description of servers in the result, whether started or
// existing.
func (m Role) Described() result.Server {
	return result.Server{
		Role: m.Name, Name: m.Spec.Name, Count: m.Copies(), CPU: float64(m.Spec.CPU), Memory: int64(m.Spec.Memory),
		Stateless: len(m.Mounts) == 0,
	}
}

// Copies is how many of it an instance has.
func (m Role) Copies() int { return m.Spec.Copies() }

// SharesVolumes reports whether the servers of an instance live on the volumes of the first.
func (m Role) SharesVolumes() bool {
	return app.CapabilitiesOf(m.Engine).SharesVolumes && m.Copies() > 1
}

// Slot names a copy within its instance: "db-0".
func (m Role) Slot(number int) string { return fmt.Sprintf("%s-%d", m.Name, number) }

// Finder looks for an installation of an engine.
type Finder func(ctx context.Context, e app.Engine, version string) (app.Installation, error)

// Roles returns the roles of every instance of a variant, each after the roles that it waits for.
// It looks for the installations of servers that Plimsoll starts.
func (p Parts) Roles(ctx context.Context, v study.Variant, find Finder) ([]Role, error) {
	w, params, err := p.Workload(v)
	if err != nil {
		return nil, err
	}
	roles, err := inOrder(w.Roles(params))
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name(), err)
	}
	var all []Role
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
func spread(all []Role) []Role {
	for n := range slices.Backward(all) {
		for at := range all[:n] {
			if slices.Contains(all[n].After, all[at].Name) {
				all[at].Need = all[at].Need.Or(all[n].Need)
			}
		}
	}
	return all
}

func (p Parts) fill(ctx context.Context, r workload.Role, v study.Variant, find Finder) (m Role, err error) {
	m = Role{Role: r, Spec: v.Server(r.Name)}
	if m.Spec.Name == "" {
		kinds := p.VolumeKinds(v.Storage())
		at := slices.IndexFunc(r.Kinds, func(kind string) bool { return slices.Contains(kinds, kind) })
		if at < 0 {
			return m, fmt.Errorf("nothing fills the role %s: the study names no engine for it, and volumes of storage %s are no %v", r.Name, v.StorageName, r.Kinds)
		}
		m.Kind, m.By = r.Kinds[at], bare{}
		return m.ready(), nil
	}
	var ok bool
	if m.Engine, ok = p.Engines[m.Spec.Name]; !ok {
		return m, fmt.Errorf("unknown engine %q", m.Spec.Name)
	}
	if m.Kind = m.Engine.Kind(); !slices.Contains(r.Kinds, m.Kind) {
		return m, fmt.Errorf("%s speaks %s, which cannot fill the role %s: %v", m.Spec.Name, m.Kind, r.Name, r.Kinds)
	}
	if m.By = (borrowed{}); m.Spec.Existing == nil {
		in, findErr := find(ctx, m.Engine, m.Spec.Version)
		m.By, err = started{in: in}, findErr
	}
	return m.ready(), err
}

// Loaded are the roles that have to do with the data set: those that keep some, and
// those that have to be there while it is loaded.
func Loaded(all []Role) (some []Role) {
	for _, m := range all {
		if m.Need.Load || len(m.VolumeMounts()) > 0 {
			some = append(some, m)
		}
	}
	return some
}

// OnVolumes reports whether any of the roles has volumes.
func OnVolumes(all []Role) bool {
	return slices.ContainsFunc(all, func(m Role) bool { return len(m.VolumeMounts()) > 0 })
}

// Unaudited says why nothing of the roles is prepared and audited; empty where it is.
func Unaudited(all []Role) string {
	for _, m := range all {
		if why := m.By.Unaudited(); why != "" {
			return why
		}
	}
	return ""
}

// Accounts are the accounts in the data of an instance. The zero value is for what is planned, where
// nobody logs in.
type Accounts struct {
	Set             workload.Dataset
	Password, Admin string
}

// Config returns the configuration of one server of an instance. The roles of the whole instance
// are given in all.
func (a Accounts) Config(m Role, all []Role, v study.Variant, name string) app.Config {
	database, user := a.Set.Login(m.Role)
	return app.Config{
		Name:     name,
		Limits:   describe.Limits{CPU: float64(m.Spec.CPU), Memory: int64(m.Spec.Memory)},
		Settings: m.Spec.Settings,
		Users:    connectionsFor(m, all, v),
		Content:  m.Content,
		Database: database, User: user, Password: a.Password, AdminPassword: a.Admin,
	}
}

// connectionsFor returns how many connections a server has to provide for: the connections of the
// servers that use it, if they open some of their own, or else one for each user.
func connectionsFor(m Role, all []Role, v study.Variant) int {
	if pooled := pooledOf(m, all, v); pooled > 0 {
		return pooled
	}
	return v.Load.Users
}

// pooledOf is how many connections to it the servers open that use it, 0 where they do
// not open some of their own.
func pooledOf(m Role, all []Role, v study.Variant) (pooled int) {
	for _, other := range all {
		connections := app.CapabilitiesOf(other.Engine).Connections
		if connections != nil && slices.Contains(other.After, m.Name) {
			pooled += other.Copies() * connections(Accounts{}.Config(other, all, v, ""))
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

// KindsOf says by which kind of endpoint each role is filled.
func KindsOf(all []Role) workload.Kinds {
	kinds := workload.Kinds{}
	for _, m := range all {
		kinds[m.Name] = m.Kind
	}
	return kinds
}

// OnDirectories reports whether all their mounts may be directories, as golden volumes are.
func OnDirectories(all []Role) bool {
	return !slices.ContainsFunc(all, func(m Role) bool {
		return slices.ContainsFunc(m.VolumeMounts(), func(w describe.Mount) bool { return !slices.Contains(w.Kinds, endpoint.Directory) })
	})
}

// InPlace reports whether every instance is prepared by itself: the data
// set cannot be cloned, or there is nothing to clone.
func InPlace(all []Role, set workload.Dataset) bool {
	return set.Key() == "" || slices.ContainsFunc(all, func(m Role) bool { return !m.By.Clones() })
}

// Named lists the servers that are started, with their versions.
func Named(roles []Role) string {
	var names []string
	for _, m := range roles {
		if name := m.By.Installed(); name.Engine != "" {
			names = append(names, strings.TrimSpace(name.Engine+" "+name.Version)) // a plan may not know it
		}
	}
	if len(names) == 0 {
		return "volumes"
	}
	return strings.Join(names, " ")
}
