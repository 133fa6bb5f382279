package instance

import (
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
)

// borrowedServers run already: they are claimed, prepared, driven, audited and given back, but
// neither started nor stopped.
type borrowedServers struct{ passiveFiller }

// describe implements filler.
func (borrowedServers) describe(_ *Application, m facts.Role) ([]result.Server, []string) {
	s := m.Described()
	s.Source = "existing"
	return []result.Server{s}, nil
}

// endpoint implements filler: its user may make tables.
func (borrowedServers) endpoint(s *Server) endpoint.Endpoint {
	return facts.BorrowedEndpoint(*s.Spec.Existing, s.i.Number, s.i.App.Data.borrowed[s.Role.Name])
}

// borrowed implements filler: a database.
func (borrowedServers) borrowed(s *Server) []job.EngineCheck {
	if !s.Need.Load {
		return nil
	}
	return []job.EngineCheck{{Engine: s.Spec.Name, Endpoint: s.Endpoint(), TakeOver: s.Spec.Existing.TakeOver}}
}
