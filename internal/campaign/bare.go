package campaign

import (
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// bareVolumes fills a role with volumes alone: users reach them without a server.
type bareVolumes struct{ passiveFiller }

// mounts implements filler: the volume that is the endpoint.
func (bareVolumes) mounts(m filledRole) []workload.Mount {
	return []workload.Mount{{Name: "data", Kinds: []string{m.kind}}}
}

// ready implements filler.
func (bareVolumes) ready(s *server) bool { return len(s.volumes()) > 0 }

// endpoint implements filler.
func (bareVolumes) endpoint(s *server) endpoint.Endpoint { return s.home().Endpoint() }

// shared implements filler.
func (bareVolumes) shared(s *server) []storage.Volume { return s.volumes() }
