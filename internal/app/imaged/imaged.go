// Package imaged makes services that move images between stores, which are this program
// itself (package imaged). The settings are in docs/engines.md.
package imaged

import (
	"context"
	"regexp"

	"plimsoll/internal/app"
	"plimsoll/internal/app/builtin"
	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/simnet/link"
)

// Engine makes services.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Config: e, Builtin: true, Notes: e.Notes}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return "imaged" }

// Kind implements app.Engine.
func (Engine) Kind() string { return imaged.Kind }

// Find returns this program; it has one version.
func (Engine) Find(_ context.Context, wanted string, _ bool) (app.Installation, error) {
	return builtin.Find(Engine{}.Name(), "service", wanted)
}

const (
	configFile = "${RUNTIME}/imaged.json"
	store      = "${VOLUME}/items"
	socket     = "imaged.sock"
)

// Initialise makes the directory of the items.
func (Engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	return []app.Server{app.MakeDirectories(c, store)}
}

// Server listens where the platform says, or gives users connections over a link of its
// own through a unix socket. It has one token, which is the administrator's and the users'.
// It fetches items from the service of its kind that it uses.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	s := app.Daemon(c, app.Server{
		Kind: imaged.Kind, Port: 5202,
		Command:    []string{in.Paths["plimsoll"], "imaged", "--config", configFile},
		User:       app.Admin,
		Password:   c.AdminPassword,
		Ready:      ready,
		Complaints: complaints,
	})
	is := imaged.Config{Store: store, Token: c.AdminPassword, Link: builtin.LinkOf(c.Settings), From: source(c.Peers)}
	if is.Link.Path == link.Direct {
		is.Listen = "${HOST}:${PORT}"
	} else {
		is.Socket, s.Socket = "${RUNTIME}/"+socket, socket
	}
	s.Files = []app.File{app.JSONFile(configFile, is)}
	return s
}

// source is the service among peers; nil is none.
func source(peers []endpoint.Endpoint) *imaged.Place {
	for _, e := range peers {
		if e.Kind == imaged.Kind {
			at := imaged.PlaceOf(e)
			return &at
		}
	}
	return nil
}

// complaints match log lines with the reason for giving up.
var complaints = regexp.MustCompile(`(?i)^(?:error|plimsoll): |refused|permitted`)

// ready asks the service whether it answers.
func ready(ctx context.Context, e endpoint.Endpoint) error { return imaged.PlaceOf(e).Ping(ctx) }

const mib = 1 << 20

// leastMemory is the least in which the service starts, in bytes.
const leastMemory = 32 * mib

// Memory is the service's need: 32 MiB for the program, and for an item that is moved the
// queues between its stages and the windows of its compression.
func (Engine) Memory(c app.Config) int64 { return c.Limits.Bound(32*mib + int64(c.Users)*40*mib) }

// Overhead implements app.Engine: an empty volume holds a directory.
func (Engine) Overhead() int64 { return 8 << 10 }

// CheckConfig judges the settings. There are none but the link's.
func (Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return builtin.Check(in, c, "service", leastMemory)
}

// Outward implements app.ConfigChecker: of its settings none names anything.
func (Engine) Outward() app.OutwardSettings { return app.OutwardSettings{} }

// Notes implements app.Capabilities: a link of the service's own is no network.
func (Engine) Notes(c app.Config) []string { return builtin.Notes(c.Settings, "images") }
