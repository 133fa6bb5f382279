package instance

import (
	"context"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// filler brings the servers of a role to life. It hides the differences between servers that are
// started, existing servers, web sites, and volumes without a server; nothing else asks which
// kind it is.
type filler interface {
	// describe describes the role's servers for the result, nothing if it has none, and what is to
	// be noted of them.
	describe(a *Application, m facts.Role) ([]result.Server, []string)
	// initialise lays out what a server needs on empty volumes.
	initialise(ctx context.Context, s *Server) error
	// start starts a server and waits until it answers; limited leaves its limits on.
	start(ctx context.Context, s *Server, limited bool) error
	// ready reports whether users can reach the server.
	ready(s *Server) bool
	// endpoint is how users reach a server, and admin how the administrator reaches the
	// same one.
	endpoint(s *Server) endpoint.Endpoint
	admin(s *Server, users endpoint.Endpoint) endpoint.Endpoint
	// shared are volumes that users reach without a server.
	shared(s *Server) []storage.Volume
	// borrowed is what has to be given back when the trial is over.
	borrowed(s *Server) []job.EngineCheck
	// checked is what the audit has the engine check.
	checked(s *Server) []job.EngineCheck
}

// fillerOf is the filler of a role.
func fillerOf(m facts.Role) filler {
	return [...]filler{facts.Bare: bareVolumes{}, facts.Started: startedServers{}, facts.Borrowed: borrowedServers{}, facts.Foreign: webSites{}}[m.By.Way()]
}

// passiveFiller is a filler that starts nothing and has nothing to be described, given back
// or checked: what others are made from.
type passiveFiller struct{}

func (passiveFiller) describe(*Application, facts.Role) ([]result.Server, []string) { return nil, nil }
func (passiveFiller) initialise(context.Context, *Server) error                     { return nil }
func (passiveFiller) start(context.Context, *Server, bool) error                    { return nil }
func (passiveFiller) ready(*Server) bool                                            { return true }
func (passiveFiller) admin(_ *Server, users endpoint.Endpoint) endpoint.Endpoint    { return users }
func (passiveFiller) shared(*Server) []storage.Volume                               { return nil }
func (passiveFiller) borrowed(*Server) []job.EngineCheck                            { return nil }
func (passiveFiller) checked(*Server) []job.EngineCheck                             { return nil }
