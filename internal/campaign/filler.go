package campaign

import (
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// filler brings the servers of a role to life. It hides the differences between servers that are
// started, existing servers, web sites, and volumes without a server; the stages of a trial do
// not ask which kind it is.
type filler interface {
	// mounts returns the mounts of the role's servers for which volumes are made.
	mounts(m filledRole) []workload.Mount
	// needed says when the role takes part.
	needed(r workload.Role) workload.Presence
	// clones reports whether the data of the role's servers can be loaded once and copied.
	clones() bool
	// unaudited says why nothing is prepared and audited; empty where it is.
	unaudited() string
	// installed is the installation that its servers are started from, if any.
	installed() app.Installation
	// describe describes the role's servers for the result; nothing if it has none.
	describe(of *member, m filledRole) []result.Server
	// plan adds to the facts known before anything runs, such as the resources that the servers
	// take and the problems that keep them from serving.
	plan(d describer, m filledRole, among []filledRole, v study.Variant, facts *plan.Facts) error

	// initialise lays out what a server needs on empty volumes.
	initialise(ctx context.Context, s *server) error
	// start starts a server and waits until it answers; limited leaves its limits on.
	start(ctx context.Context, s *server, limited bool) error
	// ready reports whether users can reach the server.
	ready(s *server) bool
	// endpoint is how users reach a server, and admin how the administrator reaches the
	// same one.
	endpoint(s *server) endpoint.Endpoint
	admin(s *server, users endpoint.Endpoint) endpoint.Endpoint
	// shared are volumes that users reach without a server.
	shared(s *server) []storage.Volume
	// borrowed is what has to be given back when the trial is over.
	borrowed(s *server) []job.EngineCheck
	// checked is what the audit has the engine check.
	checked(s *server) []job.EngineCheck
}

// passiveFiller is a filler that starts nothing and has nothing to be described, given back
// or checked: what others are made from.
type passiveFiller struct{}

func (passiveFiller) mounts(filledRole) []workload.Mount                         { return nil }
func (passiveFiller) needed(r workload.Role) workload.Presence                   { return r.Needed }
func (passiveFiller) clones() bool                                               { return true }
func (passiveFiller) unaudited() string                                          { return "" }
func (passiveFiller) installed() app.Installation                                { return app.Installation{} }
func (passiveFiller) describe(*member, filledRole) []result.Server               { return nil }
func (passiveFiller) initialise(context.Context, *server) error                  { return nil }
func (passiveFiller) start(context.Context, *server, bool) error                 { return nil }
func (passiveFiller) ready(*server) bool                                         { return true }
func (passiveFiller) admin(_ *server, users endpoint.Endpoint) endpoint.Endpoint { return users }
func (passiveFiller) shared(*server) []storage.Volume                            { return nil }
func (passiveFiller) borrowed(*server) []job.EngineCheck                         { return nil }
func (passiveFiller) checked(*server) []job.EngineCheck                          { return nil }
func (passiveFiller) plan(describer, filledRole, []filledRole, study.Variant, *plan.Facts) error {
	return nil
}
