package instance

import (
	"context"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
)

// startedServers are servers that are started on volumes of the storage class, or without any.
type startedServers struct{ passiveFiller }

// describe implements filler.
func (startedServers) describe(a *Application, m facts.Role) ([]result.Server, []string) {
	s, installed := m.Described(), m.By.Installed()
	s.Version, s.Source = installed.Version, installed.Source
	can := app.CapabilitiesOf(m.Engine)
	if can.Meter != nil {
		g := can.Meter.Gauge()
		s.Gauge = &g
	}
	var notes []string
	config := a.config(m, "")
	if can.Notes != nil {
		notes = can.Notes(config)
	}
	if can.Direct != nil {
		s.Direct = can.Direct(config)
	}
	able := a.Platform.Abilities()
	limits := s.CPU > 0 || s.Memory > 0
	s.Limited = limits && (s.CPU == 0 || able.CPULimits) && (s.Memory == 0 || able.MemoryLimits)
	if limits && !s.Limited {
		notes = append(notes, "the limits of the "+m.Name+" servers are not enforced on this machine")
	}
	return []result.Server{s}, notes
}

// initialise implements filler.
func (startedServers) initialise(ctx context.Context, s *Server) error {
	for _, step := range s.Engine.Initialise(s.By.Installed(), s.Config()) {
		step.Image = s.By.Installed().Image
		if err := s.i.App.Platform.Run(ctx, step, s.home(), s.others()...); err != nil {
			return fmt.Errorf("%s: initialise: %w", s.Name, err)
		}
	}
	return nil
}

// start implements filler.
func (f startedServers) start(ctx context.Context, s *Server, limited bool) error {
	if s.Role.Siblings {
		if err := s.i.reserve(ctx, s.Role.Name, f.server); err != nil {
			return err
		}
	}
	what := f.server(s)
	if !limited {
		what.Limits = describe.Limits{}
	}
	p, err := s.i.App.Platform.Start(ctx, what, s.home(), s.others()...)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = p
	return nil
}

// server describes one to the platform.
func (startedServers) server(s *Server) app.Server {
	what := s.Engine.Server(s.By.Installed(), s.Config())
	what.Image = s.By.Installed().Image
	what.Place = app.Place{Deployment: s.i.App.Variant.Deployment, Instance: s.i.unique()}
	return what
}

// ready implements filler.
func (startedServers) ready(s *Server) bool { return s.Runs() }

// endpoint implements filler.
func (startedServers) endpoint(s *Server) endpoint.Endpoint { return s.Current().Endpoint() }

// admin implements filler.
func (startedServers) admin(s *Server, users endpoint.Endpoint) endpoint.Endpoint {
	return s.Config().AsAdmin(users)
}

// checked implements filler: the files of what has some.
func (startedServers) checked(s *Server) []job.EngineCheck {
	if len(s.ownVolumes) == 0 {
		return nil
	}
	return []job.EngineCheck{{Engine: s.Spec.Name, Endpoint: s.Admin()}}
}
