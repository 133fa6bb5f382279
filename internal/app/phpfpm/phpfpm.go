// Package phpfpm makes PHP-FPM servers, which run the pages of a workload for a
// web server: it finds an installation (7.4 or later) and its extensions, and
// configures as many workers as there are users, up to a bound. Each worker keeps
// one connection to the database. The settings and the reasons for them are in
// docs/engines.md.
package phpfpm

import (
	"cmp"
	"context"
	"regexp"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes PHP-FPM servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine. What pages keep on a volume they keep nowhere else,
// so that servers can share it.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Meter: e, Connections: e.Connections, SharesVolumes: true, Image: e.Image}
}

// kind is the kind of the servers' endpoints.
const kind = "fastcgi"

// Name is the engine's key in studies.
func (Engine) Name() string { return "php-fpm" }

// Kind implements app.Engine.
func (Engine) Kind() string { return kind }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "php:" + cmp.Or(version, "8.4") + "-fpm" }

const (
	// site is the directory of the pages.
	site       = "${RUNTIME}/site"
	poolFile   = "${RUNTIME}/php-fpm.conf"
	iniFile    = "${RUNTIME}/php.ini"
	peersFile  = "${RUNTIME}/peers.php"
	socketFile = "pages.sock" // in ${RUNTIME}
	statusFile = "${RUNTIME}/status.sock"
	// statusPath is answered there alone.
	statusPath = "/status"
)

// Initialise makes the directory in which pages keep files, on each volume that a server
// has. Without one it keeps nothing.
func (Engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	var steps []app.Server
	for n, m := range c.Mounts {
		steps = append(steps, app.MakeDirectories(c, kept(n, m)))
	}
	return steps
}

// kept is the directory for files on the nth volume of a server.
func kept(n int, m endpoint.Endpoint) string {
	if n == 0 {
		return "${VOLUME}/files"
	}
	return "${VOLUME:" + m.Role + "}/files"
}

// Server runs the pages of c.Content. Anyone who reaches it can run any code, so it has one
// way in. The machine's own PHP configuration is not read.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	return app.Daemon(c, app.Server{
		Kind: kind, Port: 9000,
		Command: []string{in.Paths[program], "--nodaemonize", "--force-stderr", "-c", iniFile, "-y", poolFile},
		Env:     []string{"PHP_INI_SCAN_DIR="},
		Files: append([]app.File{
			{Path: poolFile, Content: pool(c), Mode: 0o600},
			{Path: iniFile, Content: ini(in, c), Mode: 0o600},
			{Path: peersFile, Content: peers(c), Mode: 0o600, Escape: escape},
		}, c.Site(site)...),
		Payload:    endpoint.With(endpoint.Pages{Content: site}),
		Socket:     socketFile,
		Ready:      ready,
		Complaints: complaints,
	})
}

// complaints are the lines in which it says why it gave up, and what went wrong in
// a page.
var complaints = regexp.MustCompile(`\b(?:ERROR|ALERT|EMERG): |PHP (?:Fatal|Parse|Warning)`)

// ready asks for the answer that the configuration promises.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	return ping(ctx, e.Network, e.Address)
}

// Connections implements app.Capabilities: one for each worker.
func (Engine) Connections(c app.Config) int { return workers(c) }

// Memory is the server's need when all workers are busy: 24 MiB for the first process, the
// program and the opcode cache, and 4 MiB for a worker with its connection (measured: 22 MB
// with 8).
func (Engine) Memory(c app.Config) int64 {
	return c.Limits.Bound(24*mib + int64(workers(c))*4*mib)
}

// Overhead implements app.Engine: a volume has an empty directory at most.
func (Engine) Overhead() int64 { return 0 }

const mib = 1 << 20
