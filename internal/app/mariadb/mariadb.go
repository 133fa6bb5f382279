// Package mariadb makes MariaDB servers: it finds an installation (10.6 or
// later) or fetches one, lays down an empty data directory and configures the
// server for the memory that it may use. The settings and the reasons for
// them are in docs/engines.md.
package mariadb

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// Engine makes MariaDB servers.
type Engine struct{}

var _ app.Engine = Engine{}

// Capabilities implements app.Engine. The redo log is written over in place, and so is
// the table space that has the buffer in which pages are written first.
func (e Engine) Capabilities() app.Capabilities {
	return app.Capabilities{
		Checker:     e,
		Config:      e,
		Durability:  e,
		Check:       e.Check,
		Borrower:    e,
		Ask:         e.Ask,
		Sessions:    e.Sessions,
		Overwritten: []string{"mariadb/ib_logfile*", "mariadb/ibdata1"},
		Image:       e.Image,
	}
}

// kind is the kind of the servers' endpoints.
const kind = "sql:mariadb"

// Name is the engine's key in studies.
func (Engine) Name() string { return "mariadb" }

// Kind implements app.Engine.
func (Engine) Kind() string { return kind }

// Image names the official image of a version.
func (Engine) Image(version string) string { return "mariadb:" + cmp.Or(version, "11.8") }

// dataDirectory is a directory of its own on the volume: MariaDB would take
// lost+found at the top of a file system for a database.
const dataDirectory = "${VOLUME}/mariadb"

const (
	configFile   = "${RUNTIME}/my.cnf"
	accountsFile = "${RUNTIME}/accounts.sql"
	plainVolume  = "${RUNTIME}/volume"
	socket       = "mariadb.sock"
)

// Initialise makes a data directory with the system tables, and in it the
// declared database and the accounts of its user and of the administrator.
func (Engine) Initialise(in app.Installation, c app.Config) []app.Server {
	return []app.Server{systemTables(in, c), accounts(in, c)}
}

// systemTables runs MariaDB's own script. It takes paths to have no blanks or quotation
// marks, so it reaches the volume by a link that has none.
func systemTables(in app.Installation, c app.Config) app.Server {
	command := []string{"/bin/sh", "-c", `ln -s "$0" "$1" && shift && exec "$@"`, "${VOLUME}", plainVolume, in.Paths["mariadb-install-db"], "--defaults-file=" + configFile,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"}
	if base := in.Paths["basedir"]; base != "" {
		command = append(command, "--basedir="+base)
	}
	s := oneShot(in, c, "install", command)
	s.Files[0].Content = strings.ReplaceAll(s.Files[0].Content, "${VOLUME}", plainVolume)
	return s
}

// accounts runs in the server's bootstrap mode, which has no network and reads
// statements from its input; the shell only redirects it.
func accounts(in app.Installation, c app.Config) app.Server {
	s := oneShot(in, c, "accounts", []string{"/bin/sh", "-c", `input=$0; exec "$@" < "$input"`, accountsFile,
		in.Paths["mariadbd"], "--defaults-file=" + configFile, "--bootstrap"})
	s.Files = append(s.Files, app.File{Path: accountsFile, Content: accountStatements(c), Mode: 0o600})
	return s
}

// accountStatements leave no account without a password: the installation script's accounts
// (root, anonymous) go. Bootstrap mode keeps accounts untouched until FLUSH PRIVILEGES has
// read them.
func accountStatements(c app.Config) string {
	all := []string{
		"DELETE FROM mysql.global_priv WHERE User IN ('', 'root', 'PUBLIC');",
		"FLUSH PRIVILEGES;",
		"CREATE DATABASE " + quoteName(c.Database) + ";",
	}
	for _, host := range anywhere() {
		all = append(all, grant("SELECT, INSERT, UPDATE, DELETE, EXECUTE", c.Database, c.User, host, c.Password)...)
		all = append(all, grant("ALL PRIVILEGES", c.Database, app.Admin, host, c.AdminPassword)...)
		all = append(all, "GRANT PROCESS ON *.* TO "+account(app.Admin, host)+";") // what sessions wait for
	}
	return strings.Join(all, "\n") + "\n"
}

// anywhere is the socket and every address: which of them reach the server the
// platform says, by the address that it listens on.
func anywhere() []string { return []string{"localhost", "%"} }

// grant makes an account that has rights on the database and nothing else. In
// the name of the database, _ and % would be patterns.
func grant(rights, database, user, host, password string) []string {
	account := account(user, host)
	exact := strings.NewReplacer("_", `\_`, "%", `\%`).Replace(database)
	return []string{
		"CREATE USER " + account + " IDENTIFIED BY " + quoteText(password) + ";",
		"GRANT " + rights + " ON " + quoteName(exact) + ".* TO " + account + ";",
	}
}

func account(user, host string) string { return quoteText(user) + "@" + quoteText(host) }

func oneShot(in app.Installation, c app.Config, step string, command []string) app.Server {
	return app.Server{
		Name: c.Name + "-" + step, Kind: kind, Command: command,
		Files:        []app.File{{Path: configFile, Content: configuration(in, c), Mode: 0o600, Escape: escapeSetting}},
		StartTimeout: 5 * time.Minute, Stop: "TERM", StopTimeout: 10 * time.Second,
		Unprivileged: true, Complaints: complaints,
	}
}

// complaints match lines with the reason why the server or its installer gave up, without
// the installer's advice.
var complaints = regexp.MustCompile(`\[ERROR\]|^(?:FATAL )?ERROR:`)

// Server runs on a data directory that Initialise made. Its configuration is
// not on the volume, so that a clone of the volume can be given another.
func (Engine) Server(in app.Installation, c app.Config) app.Server {
	return app.Daemon(c, app.Server{
		Kind: kind, Port: 3306,
		Command: []string{in.Paths["mariadbd"], "--defaults-file=" + configFile},
		Files:   []app.File{{Path: configFile, Content: configuration(in, c) + network, Mode: 0o600, Escape: escapeSetting}},
		Ready:   ready,
		// After a crash the log is replayed first; on slow storage that takes long.
		Complaints:   complaints,
		StartTimeout: 5 * time.Minute,
		StopTimeout:  2 * time.Minute,
		Socket:       socket,
		Payload:      endpoint.With(endpoint.SQL{Database: c.Database}), User: c.User, Password: c.Password,
	})
}

// network is left out of one-shot servers, which reach for none.
const network = `bind_address = "${HOST}"
port = ${PORT}
socket = "${RUNTIME}/` + socket + `"
`

// Memory is the server's need when its users are busy: the buffer pool and everything else.
func (Engine) Memory(c app.Config) int64 {
	return c.Limits.Bound(bufferPool(c) + overheadMemory(c))
}

// Overhead is the size of an empty data directory: system tables, the redo log
// of a server with 512 MiB, and the temporary tablespace while it runs.
func (Engine) Overhead() int64 { return 62 * mib }

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(text) + "'"
}
