package workloadtest

import (
	"cmp"
	"slices"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Environment fills the roles of instances: with servers of its engines, with volumes and
// buckets, or with existing endpoints.
type Environment struct {
	// Platform gives a platform that an instance has to itself. Where roles are not filled
	// by servers it is not asked.
	Platform func(t *testing.T) platform.Platform
	// Engines fill roles by kind, and By fills roles by name.
	Engines []app.Engine
	By      map[string]app.Engine
	// Volume gives an empty volume or bucket of a kind, for a server of the platform or, where
	// p is nil, for users.
	Volume func(t *testing.T, p platform.Platform, name, kind string) storage.Volume
	// Siblings is how many servers a role has whose servers must know each other; 0 is three.
	Siblings int
	// Given is what fills a role already, such as a site. Nil is nothing.
	Given func(t *testing.T, r workload.Role) endpoint.Endpoint
}

// Here has servers of some engines on this machine, and directories.
func Here(engines ...app.Engine) Environment {
	return Environment{Platform: localtest.Platform, Engines: engines, Volume: directory}
}

func directory(t *testing.T, p platform.Platform, name, kind string) storage.Volume {
	t.Helper()
	switch {
	case kind != endpoint.Directory:
		t.Fatalf("volume %s is to be a %s: this environment has directories", name, kind)
	case p == nil:
		return storage.Volume{Name: name, Path: t.TempDir()}
	}
	return localtest.Volume(t, p, name)
}

// Site is an existing endpoint that users reach, for any role.
func Site(start func(t *testing.T) endpoint.Endpoint) Environment {
	return Environment{Given: func(t *testing.T, r workload.Role) endpoint.Endpoint {
		e := start(t)
		e.Role = r.Name
		return e
	}}
}

// engine is the one that fills a role, nil where a volume does.
func (e Environment) engine(r workload.Role) app.Engine {
	if by := e.By[r.Name]; by != nil {
		return by
	}
	for _, kind := range r.Kinds {
		if n := slices.IndexFunc(e.Engines, func(a app.Engine) bool { return a.Kind() == kind }); n >= 0 {
			return e.Engines[n]
		}
	}
	return nil
}

// kinds says what fills the roles that keep data.
func (e Environment) kinds(roles []workload.Role) workload.Kinds {
	kinds := workload.Kinds{}
	for _, r := range roles {
		if e.keeps(r) {
			kinds[r.Name] = e.kind(r)
		}
	}
	return kinds
}

// kind is the kind of the engine or volume that fills a role.
func (e Environment) kind(r workload.Role) string {
	if by := e.engine(r); by != nil {
		return by.Kind()
	}
	return r.Kinds[0]
}

// keeps reports whether something of a role outlives the work of users: its
// servers have mounts, or a volume fills it.
func (e Environment) keeps(r workload.Role) bool {
	return len(r.Mounts) > 0 || e.Given == nil && e.engine(r) == nil
}

// Start starts an instance: every role after those that it uses. It ends with the test.
func (e Environment) Start(t *testing.T, roles []workload.Role, set workload.Dataset) *Instance {
	t.Helper()
	i := &Instance{environment: e, set: set}
	for slices.ContainsFunc(roles, func(r workload.Role) bool { return !i.filled(r.Name) }) {
		next := slices.IndexFunc(roles, i.canStart)
		if next < 0 {
			t.Fatalf("roles wait for each other, or for one that there is not: %+v", roles)
		}
		i.fill(t, roles[next])
	}
	order := func(p *part) int {
		return slices.IndexFunc(roles, func(r workload.Role) bool { return r.Name == p.role.Name })
	}
	slices.SortStableFunc(i.parts, func(a, b *part) int { return cmp.Compare(order(a), order(b)) })
	return i
}
