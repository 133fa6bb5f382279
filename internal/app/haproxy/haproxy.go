// Package haproxy makes HAProxy balancers: they pass the requests of users on to the
// gateways of an object store. The settings and the reasons for them are in
// docs/engines.md.
package haproxy

import (
	"cmp"
	"regexp"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes balancers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Meter: e, Image: e.Image}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return name }

// Kind implements app.Engine.
func (Engine) Kind() string { return endpoint.Bucket }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "haproxy:" + cmp.Or(version, "3.0") }

// Initialise implements app.Engine: its servers keep nothing.
func (Engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

const configFile = "${RUNTIME}/haproxy.cfg"

// Server passes requests on to the peers that are gateways. Users have the gateways' keys,
// which the balancer does not know: it passes signed requests on as they are.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	store, user, password := behind(c)
	return app.Daemon(c, app.Server{
		Kind: endpoint.Bucket, Port: 7080,
		Command:    []string{in.Paths[program], "-db", "-f", configFile},
		Files:      []app.File{{Path: configFile, Content: configuration(c), Mode: 0o600}},
		User:       user,
		Password:   password,
		Payload:    endpoint.With(store),
		Ready:      ready,
		Complaints: complaints,
	})
}

// behind is the store of the gateways with the balancer's URL, and their keys.
func behind(c app.Config) (store endpoint.Store, user, password string) {
	store.URLs = []string{"http://${HOST}:${PORT}"}
	for _, p := range c.Peers {
		if s := endpoint.StoreOf(p); p.Kind == endpoint.Bucket {
			store.Name, store.Region = s.Name, s.Region
			return store, p.User, p.Password
		}
	}
	return store, "", ""
}

// complaints match log lines with the reason for giving up.
var complaints = regexp.MustCompile(`\[ALERT\]`)

// Memory is the balancer's need when its users are busy: 24 MiB for the program, and 64 KiB
// for each user, which are the buffers of a request and its answer.
func (Engine) Memory(c app.Config) int64 { return c.Limits.Bound(24*mib + int64(c.Users)*64<<10) }

// Overhead implements app.Engine: its servers have no volume.
func (Engine) Overhead() int64 { return 0 }

const mib = 1 << 20
