package campaign

import (
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// bare fills a role with volumes alone: users reach them without a server.
type bare struct{ passive }

// mounts implements filler: the volume that is the endpoint.
func (bare) mounts(m filledRole) []workload.Mount {
	return []workload.Mount{{Name: "data", Kinds: []string{m.kind}}}
}

// ready implements filler.
func (bare) ready(s *server) bool { return len(s.volumes()) > 0 }

// endpoint implements filler.
func (bare) endpoint(s *server) endpoint.Endpoint { return s.home().Endpoint() }

// shared implements filler.
func (bare) shared(s *server) []storage.Volume { return s.volumes() }
