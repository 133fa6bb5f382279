package instance

import (
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
)

// bareVolumes are volumes alone: users reach them without a server.
type bareVolumes struct{ passiveFiller }

// ready implements filler.
func (bareVolumes) ready(s *Server) bool { return len(s.volumes()) > 0 }

// endpoint implements filler.
func (bareVolumes) endpoint(s *Server) endpoint.Endpoint { return s.home().Endpoint() }

// shared implements filler.
func (bareVolumes) shared(s *Server) []storage.Volume { return s.volumes() }
