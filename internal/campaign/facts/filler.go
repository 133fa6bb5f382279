package facts

import (
	"fmt"
	"math"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// Way is how the servers of a role come into being. An instance knows the steps of each.
type Way int

// The ways.
const (
	Bare     Way = iota // there are none: users reach the volumes themselves
	Started             // an engine's servers, on volumes or without any
	Borrowed            // they run already; they are claimed, prepared, audited and given back
	Foreign             // somebody's web sites, which are neither prepared nor audited
)

// Filler knows what fills a role before anything runs. It hides the differences between servers
// that are started, existing servers, web sites, and volumes without a server: a plan does not ask
// which it is.
type Filler interface {
	Way() Way
	// Mounts returns the mounts of the role's servers for which volumes are made.
	Mounts(m Role) []describe.Mount
	// Needed says when the role takes part.
	Needed(r workload.Role) workload.Presence
	// Clones reports whether the data of the role's servers can be loaded once and copied.
	Clones() bool
	// Unaudited says why nothing is prepared and audited; empty where it is.
	Unaudited() string
	// Installed is the installation that its servers are started from, if any.
	Installed() app.Installation
	// Access adds what lets the study's users into its servers, where the study says that.
	Access(m Role, by map[string]Access) error
	// ask adds what its servers answer, if they run already.
	ask(d describer, m Role, v study.Variant, facts *plan.Facts)
	// plan adds to the facts known before anything runs, such as the resources that the servers
	// take and the problems that keep them from serving.
	plan(d describer, m Role, among []Role, v study.Variant, facts *plan.Facts) error
}

// passive is a filler that starts nothing and asks nobody: what others are made from.
type passive struct{}

func (passive) Mounts(Role) []describe.Mount                                   { return nil }
func (passive) Needed(r workload.Role) workload.Presence                       { return r.Needed }
func (passive) Clones() bool                                                   { return true }
func (passive) Unaudited() string                                              { return "" }
func (passive) Installed() app.Installation                                    { return app.Installation{} }
func (passive) Access(Role, map[string]Access) error                           { return nil }
func (passive) ask(describer, Role, study.Variant, *plan.Facts)                {}
func (passive) plan(describer, Role, []Role, study.Variant, *plan.Facts) error { return nil }

// bare fills a role with volumes alone: users reach them without a server.
type bare struct{ passive }

// Way implements Filler.
func (bare) Way() Way { return Bare }

// Mounts implements Filler: the volume that is the endpoint.
func (bare) Mounts(m Role) []describe.Mount {
	return []describe.Mount{{Name: "data", Kinds: []string{m.Kind}}}
}

// site fills a role with existing web sites. Only their addresses are known: they
// are neither prepared nor audited.
type site struct{ passive }

// Way implements Filler.
func (site) Way() Way { return Foreign }

// Needed implements Filler.
func (site) Needed(workload.Role) workload.Presence { return workload.WhileDriven }

// Unaudited implements Filler.
func (site) Unaudited() string { return "the site is not ours" }

// borrowed fills a role with servers that run already: they are claimed, prepared,
// driven, audited and given back, but neither started nor stopped.
type borrowed struct{ passive }

// Way implements Filler.
func (borrowed) Way() Way { return Borrowed }

// Clones implements Filler: data are loaded into each.
func (borrowed) Clones() bool { return false }

// Access implements Filler.
func (borrowed) Access(m Role, by map[string]Access) (err error) {
	by[m.Name], err = AccessTo(*m.Spec.Existing)
	return err
}

// ask implements Filler.
func (borrowed) ask(d describer, m Role, v study.Variant, facts *plan.Facts) {
	d.askBorrowed(m, v, facts)
}

// plan implements Filler: the servers are asked, if the engine may be used.
func (b borrowed) plan(d describer, m Role, among []Role, v study.Variant, facts *plan.Facts) error {
	facts.Pooled = pooledOf(m, among, v)
	if not := d.forbidden(m); len(not) > 0 {
		facts.Problems = append(facts.Problems, not...)
		return nil
	}
	b.ask(d, m, v, facts)
	return nil
}

// started fills a role with an engine's servers that are started on volumes of the
// storage class, or without any.
type started struct {
	passive
	in app.Installation
}

// Way implements Filler.
func (started) Way() Way { return Started }

// Mounts implements Filler.
func (started) Mounts(m Role) []describe.Mount { return m.Role.Mounts }

// Installed implements Filler.
func (f started) Installed() app.Installation { return f.in }

// serverFiles is about how many files an initialised database server consists of: 200
// (MariaDB 10.11) to 1,000 (PostgreSQL 15).
const serverFiles = 1000

// plan implements Filler: what the servers need, and what their engine would refuse.
func (f started) plan(d describer, m Role, among []Role, v study.Variant, facts *plan.Facts) error {
	config := Accounts{}.Config(m, among, v, "")
	config.Peers = plannedPeers(m, among)
	facts.InstanceMemory += int64(m.Copies()) * m.Engine.Memory(config)
	f.lay(m, v, facts)
	facts.Problems = append(facts.Problems, d.several(m, v)...)
	if d.requests > 0 {
		facts.Servers = append(facts.Servers, d.servers(m, v)...)
	}
	problems, err := d.refusals(m, f.in, config, v)
	facts.Problems = append(facts.Problems, problems...)
	return err
}

// servers are what an instance's servers of a role ask a node for.
func (d describer) servers(m Role, v study.Variant) (all []plan.Server) {
	one := plan.Server{
		MilliCPU: int64(float64(m.Spec.CPU) * 1000 * d.requests), MemoryBytes: int64(float64(m.Spec.Memory) * d.requests),
		MostMilliCPU: int64(math.Ceil(float64(m.Spec.CPU) * 1000)), MostMemoryBytes: int64(m.Spec.Memory),
	}
	for _, mount := range m.VolumeMounts() {
		name := v.StorageOf(m.Name, mount.Name)
		one.Volumes = append(one.Volumes, name)
	}
	for n := range m.Copies() {
		if n > 0 && m.SharesVolumes() {
			one.Volumes = nil
		}
		all = append(all, one)
	}
	return all
}

// several refuses more than one server of a role that could not serve the same data.
func (d describer) several(m Role, v study.Variant) []describe.Problem {
	if m.Copies() == 1 || len(m.VolumeMounts()) == 0 || m.Siblings {
		return nil
	}
	field := fieldOf(m, v) + "count"
	if !m.SharesVolumes() {
		return []describe.Problem{{
			Text: fmt.Sprintf("%s: each of %d %s servers of an instance would have a volume and data of its own, and users would reach only one of them", field, m.Copies(), m.Spec.Name),
			Hint: "leave out " + field + "; more instances are rungs of the ladder",
		}}
	}
	var all []describe.Problem
	for _, mount := range m.VolumeMounts() {
		name := v.StorageOf(m.Name, mount.Name)
		s := v.Storages[name]
		check := d.parts.Kinds.Capabilities(s.Class).CheckShared
		if check == nil {
			continue
		}
		if err := check(s.Parameters); err != nil {
			all = append(all, describe.Problem{Text: fmt.Sprintf("%s: %d servers are to live on one volume of storage %s: %v", field, m.Copies(), name, err), Hint: "leave out " + field + ", or choose another storage"})
		}
	}
	return all
}

// lay adds the space that the servers need on top of the data set, all of it on their first
// mounts.
func (started) lay(m Role, v study.Variant, facts *plan.Facts) {
	if len(m.VolumeMounts()) == 0 {
		return
	}
	homes := int64(m.Copies())
	if m.SharesVolumes() {
		homes = 1
	}
	name := v.StorageOf(m.Name, m.VolumeMounts()[0].Name)
	facts.Hold(name, plan.Holding{Overhead: homes * m.Engine.Overhead(), ServerFiles: homes * serverFiles})
}

// NotOurs describes the data behind existing web sites.
const NotOurs = "what the sites of the target hold, which is neither prepared nor audited"

// ofSites is what every existing instance consists of as far as users see it.
func ofSites(v study.Variant, roles []workload.Role) (all []Role, err error) {
	for _, r := range roles {
		if slices.Contains(r.Kinds, endpoint.Site) {
			all = append(all, Role{Role: r, Kind: endpoint.Site, By: site{}}.ready())
		}
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("workload %s with these parameters talks to %d web sites of an instance, and a target fills one", v.Workload.Name, len(all))
	}
	return all, nil
}
