// Package versitygw makes Versity S3 gateways: object stores (S3) that keep each object as
// a file of a volume. The settings and the reasons for them are in docs/engines.md.
package versitygw

import (
	"cmp"
	"context"
	"fmt"
	"regexp"

	"plimsoll/internal/app"
	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes gateways.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine. A gateway keeps nothing of the objects to itself,
// so that several can share a volume.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, SharesVolumes: true, Direct: e.Direct, Image: e.Image, Notes: e.Notes}
}

// Name is the engine's key in studies.
func (Engine) Name() string { return name }

// Kind implements app.Engine.
func (Engine) Kind() string { return endpoint.Bucket }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "versity/versitygw:v" + cmp.Or(version, release) }

// Of each volume: a directory for each bucket.
const buckets = "${VOLUME}/buckets"

// Initialise makes the directory of the buckets.
func (Engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	return []app.Server{app.MakeDirectories(c, buckets)}
}

// Region is what requests to the gateways are signed for.
const Region = "us-east-1"

// Server stores its objects below ${VOLUME}. It has one account, shared by the
// administrator and the users.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	return app.Daemon(c, app.Server{
		Kind: endpoint.Bucket, Port: 7070,
		Command:    command(in, c),
		Secrets:    []string{"ROOT_ACCESS_KEY_ID=" + app.Admin, "ROOT_SECRET_ACCESS_KEY=" + c.AdminPassword},
		User:       app.Admin,
		Password:   c.AdminPassword,
		Payload:    endpoint.With(endpoint.Store{URLs: []string{"http://${HOST}:${PORT}"}, Region: Region}),
		Ready:      ready,
		Complaints: complaints,
	})
}

// command keeps connections open, which the gateway does not by itself, and writes no
// line for each request.
func command(in app.Installation, c app.Config) []string {
	words := []string{in.Paths[program], "--port", "${HOST}:${PORT}", "--region", Region, "--keep-alive", "--quiet"}
	words = append(words, flags(c.Settings, ofGateway)...)
	words = append(words, "posix")
	words = append(words, flags(c.Settings, ofStore)...)
	return append(words, buckets)
}

// complaints match lines with the reason for giving up: no other lines have a date.
var complaints = regexp.MustCompile(`^\d{4}/\d\d/\d\d `)

// ready asks for the list of buckets, which takes the keys.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	c, err := bucket.Client(e, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", err, app.ErrHopeless)
	}
	_, err = c.ListBuckets(ctx)
	return err
}

// Direct reports whether a server is set to.
func (Engine) Direct(c app.Config) bool { return c.Settings[direct] == "on" }

// Notes implements app.Capabilities.
func (Engine) Notes(app.Config) []string {
	return []string{"versitygw acknowledges an object before it is on the disk: it never flushes, so that a power cut may lose acknowledged objects"}
}

// Memory is the gateway's need when its users are busy: 48 MiB for the program, and for
// each request in progress a buffer of 1 MiB each way.
func (Engine) Memory(c app.Config) int64 { return c.Limits.Bound(48*mib + int64(c.Users)*2*mib) }

// Overhead implements app.Engine: an empty volume holds a directory.
func (Engine) Overhead() int64 { return 8 << 10 }

const mib = 1 << 20
