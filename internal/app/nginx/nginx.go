// Package nginx makes nginx web servers: they serve a workload's content, and pass pages on
// to application servers (FastCGI). Connections of users stay open for any number of
// requests. The settings and the reasons for them are in docs/engines.md.
package nginx

import (
	"cmp"
	"regexp"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes nginx servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Meter: e, Image: e.Image}
}

// kind is the kind of the servers' endpoints.
const kind = "http"

// Name is the engine's key in studies.
func (Engine) Name() string { return "nginx" }

// Kind implements app.Engine.
func (Engine) Kind() string { return kind }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "nginx:" + cmp.Or(version, "1.28") }

const (
	configFile      = "${RUNTIME}/nginx.conf"
	certificateFile = "${RUNTIME}/certificate.pem"
	keyFile         = "${RUNTIME}/key.pem"
	site            = "${RUNTIME}/site"
)

// Initialise implements app.Engine: its servers keep nothing.
func (Engine) Initialise(app.Installation, app.Config) []app.Server { return nil }

// Server passes pages on to the peers that speak FastCGI, and serves c.Content itself. The
// machine's own nginx configuration is not read.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	s := app.Daemon(c, app.Server{
		Kind: kind, Port: 8080,
		Command:      append([]string{in.Paths[program], "-c", configFile, "-p", "${RUNTIME}"}, logFlags(in)...),
		Files:        append([]app.File{{Path: configFile, Content: configuration(c), Mode: 0o600}}, c.Site(site)...),
		Payload:      endpoint.With(endpoint.Pages{Content: site}),
		Socket:       "web.sock",
		SocketPrefix: "unix:",
		Ready:        ready,
		Complaints:   complaints,
	})
	if encrypts(c) {
		certificate, key := identity(c.AdminPassword)
		s.Certificate = certificate
		s.Files = append(s.Files,
			app.File{Path: certificateFile, Content: certificate, Mode: 0o600},
			app.File{Path: keyFile, Content: key, Mode: 0o600})
	}
	return s
}

// complaints match log lines with the reason for giving up.
var complaints = regexp.MustCompile(`\[(?:emerg|alert|crit)\]`)

// Memory is the server's need when its users are busy: 4 MiB for the first process, 3 MiB
// for a worker and 64 KiB for a connection with its buffers (measured: 2.5 MB with 16).
func (Engine) Memory(c app.Config) int64 {
	return c.Limits.Bound(4*mib + int64(workers(c))*3*mib + int64(c.Users)*64<<10)
}

// Overhead implements app.Engine: its servers have no volume.
func (Engine) Overhead() int64 { return 0 }

const mib = 1 << 20
