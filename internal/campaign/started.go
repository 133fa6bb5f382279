package campaign

import (
	"context"
	"fmt"
	"math"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// startedServers fills a role with an engine's servers that are started on volumes of the
// storage class, or without any.
type startedServers struct {
	passiveFiller
	in app.Installation
}

// mounts implements filler.
func (startedServers) mounts(m filledRole) []workload.Mount { return m.role.Mounts }

// installed implements filler.
func (f startedServers) installed() app.Installation { return f.in }

// describe implements filler.
func (f startedServers) describe(of *member, m filledRole) []result.Server {
	s, t := m.described(), of.t
	s.Version, s.Source = f.in.Version, f.in.Source
	can := app.CapabilitiesOf(m.engine)
	if can.Meter != nil {
		g := can.Meter.Gauge()
		s.Gauge = &g
	}
	config := of.golden.config(m, of.roles, of.variant, "")
	if can.Notes != nil {
		t.result.Notes = append(t.result.Notes, can.Notes(config)...)
	}
	if can.Direct != nil {
		s.Direct = can.Direct(config)
	}
	able := t.c.platform.Abilities()
	limits := s.CPU > 0 || s.Memory > 0
	s.Limited = limits && (s.CPU == 0 || able.CPULimits) && (s.Memory == 0 || able.MemoryLimits)
	if limits && !s.Limited {
		t.note("the limits of the " + m.role.Name + " servers are not enforced on this machine")
	}
	return []result.Server{s}
}

// serverFiles is about how many files an initialised database server consists of: 200
// (MariaDB 10.11) to 1,000 (PostgreSQL 15).
const serverFiles = 1000

// plan implements filler: what the servers need, and what their engine would refuse.
func (f startedServers) plan(d describer, m filledRole, among []filledRole, v study.Variant, facts *plan.Facts) error {
	config := dataset{}.config(m, among, v, "")
	config.Peers = plannedPeers(m, among)
	facts.InstanceMemory += int64(m.copies()) * m.engine.Memory(config)
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
func (d describer) servers(m filledRole, v study.Variant) (all []plan.Server) {
	one := plan.Server{
		MilliCPU: int64(float64(m.spec.CPU) * 1000 * d.requests), MemoryBytes: int64(float64(m.spec.Memory) * d.requests),
		MostMilliCPU: int64(math.Ceil(float64(m.spec.CPU) * 1000)), MostMemoryBytes: int64(m.spec.Memory),
	}
	for _, mount := range m.mounts() {
		name, _ := v.StorageOf(m.role.Name, mount.Name)
		one.Volumes = append(one.Volumes, name)
	}
	for n := range m.copies() {
		if n > 0 && m.shared() {
			one.Volumes = nil
		}
		all = append(all, one)
	}
	return all
}

// several refuses more than one server of a role that could not serve the same data.
func (d describer) several(m filledRole, v study.Variant) []plan.Problem {
	if m.copies() == 1 || len(m.mounts()) == 0 || m.role.Siblings {
		return nil
	}
	field := fieldOf(m, v) + "count"
	if !m.shared() {
		return []plan.Problem{{
			What: fmt.Sprintf("%s: each of %d %s servers of an instance would have a volume and data of its own, and users would reach only one of them", field, m.copies(), m.spec.Name),
			Hint: "leave out " + field + "; more instances are rungs of the ladder",
		}}
	}
	var all []plan.Problem
	for _, mount := range m.mounts() {
		name, s := v.StorageOf(m.role.Name, mount.Name)
		check := d.parts.Kinds.Capabilities(s.Class).CheckShared
		if check == nil {
			continue
		}
		if err := check(s.Parameters); err != nil {
			all = append(all, plan.Problem{What: fmt.Sprintf("%s: %d servers are to live on one volume of storage %s: %v", field, m.copies(), name, err), Hint: "leave out " + field + ", or choose another storage"})
		}
	}
	return all
}

// lay adds the space that the servers need on top of the data set, all of it on their first
// mounts.
func (startedServers) lay(m filledRole, v study.Variant, facts *plan.Facts) {
	if len(m.mounts()) == 0 {
		return
	}
	homes := int64(m.copies())
	if m.shared() {
		homes = 1
	}
	name, _ := v.StorageOf(m.role.Name, m.mounts()[0].Name)
	facts.Hold(name, plan.Holding{Overhead: homes * m.engine.Overhead(), ServerFiles: homes * serverFiles})
}

// initialise implements filler.
func (f startedServers) initialise(ctx context.Context, s *server) error {
	for _, step := range s.engine.Initialise(f.in, s.config()) {
		step.Image = f.in.Image
		if err := s.i.t.c.platform.Run(ctx, step, s.home(), s.others()...); err != nil {
			return fmt.Errorf("%s: initialise: %w", s.name, err)
		}
	}
	return nil
}

// start implements filler.
func (f startedServers) start(ctx context.Context, s *server, limited bool) error {
	if s.role.Siblings {
		if err := s.i.reserve(ctx, s.role.Name, f.server); err != nil {
			return err
		}
	}
	what := f.server(s)
	if !limited {
		what.Limits = app.Limits{}
	}
	p, err := s.i.t.c.platform.Start(ctx, what, s.home(), s.others()...)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = p
	return nil
}

// server describes one to the platform.
func (f startedServers) server(s *server) app.Server {
	what := s.engine.Server(f.in, s.config())
	what.Image = f.in.Image
	what.Place = app.Place{Deployment: s.i.member.variant.Deployment, Instance: s.i.unique()}
	return what
}

// ready implements filler.
func (startedServers) ready(s *server) bool { return s.runs() }

// endpoint implements filler.
func (startedServers) endpoint(s *server) endpoint.Endpoint { return s.current().Endpoint() }

// admin implements filler.
func (startedServers) admin(s *server, users endpoint.Endpoint) endpoint.Endpoint {
	return s.config().AsAdmin(users)
}

// checked implements filler: the files of what has some.
func (startedServers) checked(s *server) []job.EngineCheck {
	if len(s.ownVolumes) == 0 {
		return nil
	}
	return []job.EngineCheck{{Engine: s.spec.Name, Endpoint: s.admin()}}
}
