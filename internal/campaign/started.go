package campaign

import (
	"context"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/job"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// started fills a role with an engine's servers that are started on volumes of the
// storage class, or without any.
type started struct {
	passive
	in app.Installation
}

// mounts implements filler.
func (started) mounts(m filledRole) []workload.Mount { return m.role.Mounts }

// installed implements filler.
func (f started) installed() app.Installation { return f.in }

// describe implements filler.
func (f started) describe(of *member, m filledRole) []result.Server {
	s, t := m.described(), of.t
	s.Version, s.Source = f.in.Version, f.in.Source
	if meter, ok := m.engine.(app.Meter); ok {
		g := meter.Gauge()
		s.Gauge = &g
	}
	if noter, ok := m.engine.(app.Noter); ok {
		t.result.Notes = append(t.result.Notes, noter.Notes(of.golden.config(m, of.roles, of.variant, ""))...)
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
func (f started) plan(d describer, m filledRole, among []filledRole, v study.Variant, facts *plan.Facts) error {
	config := dataset{}.config(m, among, v, "")
	config.Peers = plannedPeers(m, among)
	facts.InstanceMemory += int64(m.copies()) * m.engine.Memory(config)
	f.lay(m, v, facts)
	if d.requests > 0 {
		one := plan.Server{MilliCPU: int64(float64(m.spec.CPU) * 1000 * d.requests), MemoryBytes: int64(float64(m.spec.Memory) * d.requests)}
		for _, mount := range m.mounts() {
			if name, _ := v.StorageOf(m.role.Name, mount.Name); name == v.StorageName {
				one.Volume = true
			} else {
				one.Placed = append(one.Placed, name)
			}
		}
		for range m.copies() {
			facts.Servers = append(facts.Servers, one)
		}
	}
	problems, err := d.refusals(m, f.in, config, v)
	facts.Problems = append(facts.Problems, problems...)
	return err
}

// lay counts what the servers have beside a data set, all of it on their first mounts.
func (started) lay(m filledRole, v study.Variant, facts *plan.Facts) {
	if len(m.mounts()) == 0 {
		return
	}
	own := plan.Holding{Overhead: int64(m.copies()) * m.engine.Overhead(), ServerFiles: int64(m.copies()) * serverFiles}
	facts.Overhead += own.Overhead
	facts.Files += own.ServerFiles
	name, _ := v.StorageOf(m.role.Name, m.mounts()[0].Name)
	if at, ok := facts.Placed[name]; ok {
		at.Holds = at.Holds.Plus(own)
		facts.Placed[name] = at
	}
}

// initialise implements filler.
func (f started) initialise(ctx context.Context, s *server) error {
	for _, step := range s.engine.Initialise(f.in, s.config()) {
		step.Image = f.in.Image
		if err := s.i.t.c.platform.Run(ctx, step, s.home(), s.others()...); err != nil {
			return fmt.Errorf("%s: initialise: %w", s.name, err)
		}
	}
	return nil
}

// start implements filler.
func (f started) start(ctx context.Context, s *server, limited bool) error {
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
func (f started) server(s *server) app.Server {
	what := s.engine.Server(f.in, s.config())
	what.Image = f.in.Image
	what.Place = app.Place{Deployment: s.i.of.variant.Deployment, Instance: s.i.unique()}
	return what
}

// ready implements filler.
func (started) ready(s *server) bool { return s.runs() }

// endpoint implements filler.
func (started) endpoint(s *server) endpoint.Endpoint { return s.current().Endpoint() }

// admin implements filler.
func (started) admin(s *server, users endpoint.Endpoint) endpoint.Endpoint {
	return s.config().AsAdmin(users)
}

// checked implements filler: the files of what has some.
func (started) checked(s *server) []job.EngineCheck {
	if len(s.mounts()) == 0 {
		return nil
	}
	return []job.EngineCheck{{Engine: s.spec.Name, Endpoint: s.admin()}}
}
