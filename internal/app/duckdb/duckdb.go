// Package duckdb makes servers of DuckDB, each a process with one database whose tables are
// Parquet files of a volume or a bucket. DuckDB is a library: the process is Python's, with a server of
// ours (server.py). The settings and the reasons for them are in docs/engines.md.
package duckdb

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/describe/endpoint"
)

//go:embed server.py
var program string

// Engine makes servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{Checker: e, Config: e, Notes: e.Notes}
}

const name = "duckdb"

// Name is the engine's key in studies.
func (Engine) Name() string { return name }

// Kind implements app.Engine.
func (Engine) Kind() string { return duckdb.Kind }

// Of each volume: a directory for each table.
const lake = "${VOLUME}/" + duckdb.Lake

// Initialise makes the directory of the tables.
func (Engine) Initialise(_ app.Installation, c app.Config) []app.Server {
	return []app.Server{app.MakeDirectories(c, lake)}
}

const (
	programFile = "${RUNTIME}/server.py"
	configFile  = "${RUNTIME}/server.json"
)

// config is what server.py reads.
type config struct {
	Packages  string            `json:"packages"`  // directory of Python's packages
	Extension string            `json:"extension"` // file of the extension tpcds
	Volume    string            `json:"volume"`
	Scratch   string            `json:"scratch"` // where queries spill
	Listen    string            `json:"listen"`
	Admin     string            `json:"admin"` // keys
	User      string            `json:"user"`
	Settings  map[string]string `json:"settings"`
	HTTPFS    string            `json:"httpfs,omitempty"` // file of that extension
	Bucket    *bucket           `json:"bucket,omitempty"` // nil where tables are on the volume
}

// bucket is what server.py reads of the object store that has the tables.
type bucket struct {
	Lake     string `json:"lake"` // s3://name/tables
	Endpoint string `json:"endpoint"`
	TLS      bool   `json:"tls"`
	Style    string `json:"style"` // path or vhost
	Region   string `json:"region"`
	Key      string `json:"key"`
	Secret   string `json:"secret"`
}

// Bucket is the name of the bucket where the store says none.
const Bucket = "lake"

// bucketOf returns a server's bucket, nil where it has none, and the description of the
// server for users. Only the first of several gateways is used.
func bucketOf(c app.Config) (*bucket, duckdb.Server) {
	e, ok := c.Store()
	if !ok {
		return nil, duckdb.Server{Lake: duckdb.Lake}
	}
	s := endpoint.StoreOf(e)
	name := cmp.Or(s.Name, Bucket)
	b := &bucket{Lake: "s3://" + name + "/tables", Style: "path", Region: s.Region, Key: e.User, Secret: e.Password}
	b.Endpoint, b.TLS = strings.CutPrefix(s.URLs[0], "https://")
	b.Endpoint = strings.TrimPrefix(b.Endpoint, "http://")
	if s.VirtualHost {
		b.Style = "vhost"
	}
	return b, duckdb.Server{Lake: b.Lake, Bucket: name}
}

// Server keeps its tables below ${VOLUME}, and there queries spill. Users may only select.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	from, told := bucketOf(c)
	config := config{
		Packages: in.Paths["packages"], Extension: in.Paths["extension"],
		Volume: "${VOLUME}", Scratch: "${VOLUME}/scratch", Listen: "${LISTEN}",
		Admin: c.AdminPassword, User: c.Password, Settings: settings(c),
		HTTPFS: in.Paths["httpfs"], Bucket: from,
	}
	return app.Daemon(c, app.Server{
		Kind: duckdb.Kind, Port: 4213, Socket: "duckdb.sock", SocketPrefix: "unix:",
		Command: []string{in.Paths["python"], "-I", "-B", programFile, configFile},
		Files: []app.File{
			{Path: programFile, Content: program, Mode: 0o600},
			app.JSONFile(configFile, config),
		},
		User:         c.User,
		Password:     c.Password,
		Payload:      endpoint.With(told),
		Ready:        ready,
		Complaints:   complaints,
		StartTimeout: 2 * time.Minute,
	})
}

// complaints match log lines with the reason for giving up.
var complaints = regexp.MustCompile(`^(?:error: |\w*Error: )`)

// ready asks for nothing, which takes a key.
func ready(ctx context.Context, e endpoint.Endpoint) error {
	c, err := duckdb.Open(e)
	if err != nil {
		return fmt.Errorf("%w: %w", err, app.ErrHopeless)
	}
	defer c.Close()
	return c.Exec(ctx, "select 1")
}

// settings are the study's settings, and the settings derived from the limits: a thread for
// each core, and the memory that Python leaves.
func settings(c app.Config) map[string]string {
	all := map[string]string{}
	if c.Limits.CPU > 0 {
		all["threads"] = fmt.Sprint(int(math.Ceil(c.Limits.CPU)))
	}
	if c.Limits.Memory > 0 {
		all["memory_limit"] = fmt.Sprintf("%dMiB", max(leastDatabase, (c.Limits.Memory-aside)*9/10)/mib)
	}
	for _, s := range app.StudySettings(c.Settings) {
		all[s.Name()] = s.Value()
	}
	return all
}

// Notes implements app.Capabilities.
func (Engine) Notes(app.Config) []string {
	return []string{"DuckDB runs inside a server of Plimsoll's own, by HTTP: the time of a query has that of its answer as text in it"}
}

// Memory is a server's need when nothing limits it: Python with the library, and the data
// of joins. Queries that need more spill.
func (Engine) Memory(c app.Config) int64 { return c.Limits.Bound(aside + 768*mib) }

// Overhead implements app.Engine: an empty volume holds a directory.
func (Engine) Overhead() int64 { return 8 << 10 }

const (
	mib           = 1 << 20
	aside         = 128 * mib // for Python, the library and answers
	leastDatabase = 64 * mib
	leastMemory   = 224 * mib // that a server starts in
)
