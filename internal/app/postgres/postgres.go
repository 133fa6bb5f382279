// Package postgres makes PostgreSQL servers: it finds an installation (14 to
// 18) or fetches one, lays down an empty cluster and configures the server
// for the memory that it may use. The settings and the reasons for them are
// in docs/engines.md.
package postgres

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes PostgreSQL servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine. Segments of the log are used again and again.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{
		Checker:     e,
		Config:      e,
		Durability:  e,
		Check:       e.Check,
		Actor:       e,
		Borrower:    e,
		Ask:         e.Ask,
		Sessions:    e.Sessions,
		Overwritten: []string{"postgres/pg_wal/*"},
		Image:       e.Image,
	}
}

// kind is the kind of the servers' endpoints.
const kind = "sql:postgres"

// Name is the engine's key in studies.
func (Engine) Name() string { return "postgres" }

// Kind implements app.Engine.
func (Engine) Kind() string { return kind }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "postgres:" + cmp.Or(version, "17") }

// dataDirectory is a directory of its own on the volume: the top of a file
// system may hold lost+found, which initdb refuses.
const dataDirectory = "${VOLUME}/postgres"

const (
	passwordFile   = "${RUNTIME}/password"
	statementsFile = "${RUNTIME}/statements.sql"
	configFile     = "${RUNTIME}/postgresql.conf"
	accessFile     = "${RUNTIME}/pg_hba.conf"
	identityFile   = "${RUNTIME}/pg_ident.conf"
)

// Initialise makes a cluster with the declared database, the administrator and
// the declared user.
func (Engine) Initialise(in app.Installation, c app.Config) []app.Server {
	steps := []app.Server{initdb(in, c), prepareDatabase(in, c)}
	if c.Database != "postgres" {
		steps = append(steps, nameDatabase(in, c))
	}
	return steps
}

// initdb uses the C locale, which every machine has and in which all sort
// alike, and page checksums, the default from version 18 on: without them a
// page that the storage damaged may pass for a sound one.
func initdb(in app.Installation, c app.Config) app.Server {
	s := oneShot(c, "initdb", []string{in.Paths["initdb"], "--pgdata=" + dataDirectory,
		"--username=" + app.Admin, "--pwfile=" + passwordFile, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"})
	s.Files = []app.File{{Path: passwordFile, Content: c.AdminPassword + "\n", Mode: 0o600}}
	return s
}

// prepareDatabase makes the engine's own check available, where it is
// installed, and the user. The user's rights also hold for tables that the
// administrator makes later.
func prepareDatabase(in app.Installation, c app.Config) app.Server {
	user := quoteName(c.User)
	return singleUser(in, c, "accounts", "postgres",
		"DO $$ BEGIN IF EXISTS (SELECT FROM pg_available_extensions WHERE name = '"+extension+"') THEN CREATE EXTENSION "+extension+"; END IF; END $$",
		"CREATE ROLE "+user+" LOGIN PASSWORD "+quoteText(c.Password),
		"REVOKE CREATE ON SCHEMA public FROM PUBLIC",
		"ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "+user,
		"ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO "+user)
}

// nameDatabase gives the database that initdb made its name. A second one
// would take 7 MB more on every volume.
func nameDatabase(in app.Installation, c app.Config) app.Server {
	return singleUser(in, c, "database", "template1", "ALTER DATABASE postgres RENAME TO "+quoteName(c.Database))
}

// singleUser runs statements, of one line each, in the server without network
// (single-user mode); the shell only redirects its input.
func singleUser(in app.Installation, c app.Config, step, database string, statements ...string) app.Server {
	s := oneShot(c, step, []string{"/bin/sh", "-c", `input=$0; exec "$@" < "$input"`, statementsFile,
		in.Paths["postgres"], "--single", "-D", dataDirectory, "-c", "exit_on_error=on", "-c", "dynamic_shared_memory_type=sysv", database})
	s.Files = []app.File{{Path: statementsFile, Mode: 0o600, Content: strings.Join(statements, "\n") + "\n"}}
	return s
}

// oneShot is a program that asks for its user's name, as initdb and the server
// in single-user mode do.
func oneShot(c app.Config, step string, command []string) app.Server {
	return app.Server{
		Name: c.Name + "-" + step, Kind: kind, Command: command,
		StartTimeout: 5 * time.Minute, Stop: "TERM", StopTimeout: 10 * time.Second,
		Unprivileged: true, Named: true, Complaints: complaints,
	}
}

// complaints match lines with the reason why a server or initdb gave up. A wrong value in
// the configuration is logged at the level LOG, before the FATAL.
var complaints = regexp.MustCompile(`\b(?:FATAL|PANIC|ERROR|DETAIL|HINT):|\bLOG:  (?:invalid|unrecognized|parameter|could not)|^\w+: (?:error|detail|hint):`)

// Server runs on a cluster that Initialise made. Its configuration is not on
// the volume, so that a clone of the volume can be given another.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	return app.Daemon(c, app.Server{
		Kind: kind, Port: 5432,
		Command: []string{in.Paths["postgres"], "--config-file=" + configFile},
		Files: []app.File{
			{Path: configFile, Content: configuration(c), Mode: 0o600, Escape: escapeSetting},
			{Path: accessFile, Content: access, Mode: 0o600},
			{Path: identityFile, Mode: 0o600},
		},
		Ready: ready,
		// After a crash the log is replayed first; on slow storage that takes long.
		Complaints:   complaints,
		StartTimeout: 5 * time.Minute,
		Stop:         "INT", // fast shutdown: users are disconnected, all is written
		StopTimeout:  2 * time.Minute,
		Lock:         dataDirectory + "/postmaster.pid",
		Socket:       ".s.PGSQL.${PORT}",
		Payload:      endpoint.With(endpoint.SQL{Database: c.Database, TCP: "${HOST}:${PORT}"}), User: c.User, Password: c.Password,
	})
}

// access asks for the password on every way in, which are the socket and the
// network that users are in.
const access = `local all all scram-sha-256
host all all ${USERS} scram-sha-256
`

// Memory is the server's need when its users are busy: shared buffers, 32 MiB for the
// server's own processes (16 MiB measured when idle) and 4 MiB for a connection with its
// statements (measured).
func (Engine) Memory(c app.Config) int64 {
	return c.Limits.Bound(sharedBuffers(c.DatabaseMemory()) + 32*mib + int64(c.DatabaseConnections())*4*mib)
}

// Overhead is the size of an empty cluster: two template databases, the
// declared one, and the first segment of the write-ahead log.
func (Engine) Overhead() int64 { return 39 * mib }

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// major is the part of a version before the first point.
func major(version string) int {
	head, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(head)
	if err != nil {
		return 0
	}
	return n
}
