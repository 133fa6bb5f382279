// Package netsink makes sinks of TCP streams, which are this program itself: they receive
// the streams' data, count it and compare it with the expected data (package sink). The
// settings are in docs/engines.md.
package netsink

import (
	"context"
	"regexp"

	"plimsoll/internal/app"
	"plimsoll/internal/app/builtin"
	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/simnet/link"
)

// Engine makes sinks.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Config: e, Builtin: true, Notes: e.Notes}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return "netsink" }

// Kind implements app.Engine.
func (Engine) Kind() string { return sink.Kind }

// Find returns this program; it has one version.
func (Engine) Find(_ context.Context, wanted string, _ bool) (app.Installation, error) {
	return builtin.Find(Engine{}.Name(), "sink", wanted)
}

const configFile = "${RUNTIME}/sink.json"

// Initialise implements app.Engine: sinks keep nothing.
func (Engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

// Server listens where the platform says, or gives users connections over a link of its
// own through a unix socket.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	s := app.Daemon(c, app.Server{
		Kind: sink.Kind, Port: 5201,
		Command:    []string{in.Paths["plimsoll"], "sink", "--config", configFile},
		Password:   c.Password,
		Ready:      ready,
		Complaints: complaints,
	})
	is := sink.Config{Token: c.Password, Link: builtin.LinkOf(c.Settings)}
	if is.Link.Path == link.Direct {
		is.Listen = "${HOST}:${PORT}"
	} else {
		is.Socket, s.Socket = "${RUNTIME}/sink.sock", "sink.sock"
	}
	s.Files = []app.File{app.JSONFile(configFile, is)}
	return s
}

// complaints match log lines with the reason for giving up.
var complaints = regexp.MustCompile(`(?i)^(?:error|plimsoll): |refused|permitted`)

// ready asks the sink whether it answers.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	return sink.Place{Network: e.Network, Address: e.Address, Token: e.Password}.Ping(ctx)
}

// Memory is the sink's need: 24 MiB for the program and 512 KiB for a stream with its
// buffers.
func (Engine) Memory(c app.Config) int64 { return c.Limits.Bound(24*mib + int64(c.Users)*mib/2) }

// Overhead implements app.Engine: sinks have no volume.
func (Engine) Overhead() int64 { return 0 }

const mib = 1 << 20
