// Package app defines instances: a declarative Server that any platform can run, and an
// Engine that makes Servers. Engines are packages below this one (postgres, mariadb) and
// pass apptest.
package app

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/study"
)

// Server is everything a platform needs to run one instance: a process locally, a pod on
// Kubernetes. In Command, Env and File contents, the platform replaces ${VOLUME} (the
// volume's directory, if it has one), ${VOLUME:name} (the directory of another mount of its
// role), ${RUNTIME} (a private directory for sockets and secrets), ${HOST} and ${PORT},
// ${USERS} (the network that users connect from, such as 127.0.0.1/32), and ${LISTEN} (the
// listening address of a server with a single endpoint and no passwords: its socket if all
// its users are on its machine, else ${HOST}:${PORT}).
type Server struct {
	Name    string   // unique in the run: "db-007"
	Place   Place    // where on its machine it runs
	Kind    string   // of its endpoint: sql:postgres
	Command []string // argv; no shell
	Image   string   // that the program is a part of, where servers run in images
	Port    int      // where users expect it, on a host that is its own; 0 is any
	Env     []string
	// Secrets is a part of the environment of a program that takes its keys in no other
	// way: only its own user can read it (proc(5)), and on Kubernetes it comes from a Secret.
	Secrets []string
	Files   []File
	Limits  describe.Limits
	// Peers are the servers that it uses, as Config has them. Where every server is a user
	// of its own, it gets to their sockets and to nothing else of theirs.
	Peers []endpoint.Endpoint
	// Ready reports nil once the server answers at its endpoint.
	Ready func(ctx context.Context, e endpoint.Endpoint) error
	// StartTimeout bounds the wait for Ready.
	StartTimeout time.Duration
	// Stop is the signal name that stops it cleanly (TERM, INT), and
	// StopTimeout how long that may take before it is killed.
	Stop        string
	StopTimeout time.Duration
	// Unprivileged reports whether the program refuses to run as root; the platform
	// then runs it, and gives it its volume, under another uid.
	Unprivileged bool
	// Named reports whether the program asks the system for the name of the user that
	// it runs as, and gives up when there is none.
	Named bool
	// Lock is the file below ${VOLUME} that holds the process identifier of the server
	// that uses the data; empty where the engine has none. One that was killed leaves it.
	// Where processes are counted anew for each server, another of them may have that
	// number by then: a platform that has seen the last server end removes it there.
	Lock string
	// Socket is the unix socket's path below ${RUNTIME}, empty when there is
	// only TCP.
	Socket string
	// SocketPrefix is what ${LISTEN} has before the path of the socket, such as "unix:".
	SocketPrefix string
	// User and Password are what users connect with.
	User, Password string
	// Payload is the payload of its endpoint; the platform makes the same replacements in
	// it.
	Payload endpoint.Payload
	// Certificate is the certificate of its endpoint.
	Certificate string
	// Complaints matches the lines of its log with the reason for giving up. If it is nil
	// or matches none, the last lines stand for them.
	Complaints *regexp.Regexp
}

// Place is how servers are set apart from the rest of their machine. A platform
// refuses a deployment that it cannot do (platform.Kind.Deploys).
type Place struct {
	Deployment study.Deployment // empty is bare
	// Instance is unique in the run; its servers share one isolated place.
	Instance string
}

// Apart reports whether servers are set apart at all.
func (p Place) Apart() bool { return p.Deployment.OrBare() != study.Bare }

// File is a configuration, a secret or a page that the platform writes before the
// start, below ${VOLUME} or ${RUNTIME}; there it makes the directories on the way.
type File struct {
	Path    string
	Content string
	Mode    uint32
	// Escape quotes a variable's value for the place where Content mentions it, such as
	// within quotation marks: a path may have any character. Nil leaves it as it is.
	Escape func(string) string
}

// Config is the configuration of an instance.
type Config struct {
	Name     string // of the server
	Limits   describe.Limits
	Settings map[string]string // from the study, applied last
	Users    int               // connections to provide for
	// Peers are the servers of the same instance that this one uses, as users reach
	// them; they run. In a plan no more than their roles and kinds is known.
	Peers []endpoint.Endpoint
	// Siblings are the addresses (host:port) of all servers of its role in its instance,
	// where these must know each other, and Self is its own place among them.
	Siblings []string
	Self     int
	// Mounts are its volumes and buckets as endpoints, whose roles are the names of the
	// mounts; none in a plan. A directory is also ${VOLUME}, or ${VOLUME:name} where it is
	// not the first.
	Mounts []endpoint.Endpoint
	// Content is served by the server: texts by path.
	Content  map[string]string
	Database string
	// User has the rights of an application on its database: read, add, change and delete
	// rows and call functions, from where the platform lets users be.
	User     string
	Password string // generated per golden volume, as is the next
	// AdminPassword is Admin's password.
	AdminPassword string
}

// Site returns the files of Content below a directory, which only the server can read.
func (c Config) Site(dir string) (all []File) {
	for _, path := range slices.Sorted(maps.Keys(c.Content)) {
		all = append(all, File{Path: dir + "/" + path, Content: c.Content[path], Mode: 0o600})
	}
	return all
}

// Admin is the account that makes tables, loads them and checks the engine's
// files. Users do not have its password.
const Admin = "plimsoll"

// Store is the object store of a server: one of its mounts, or a server that it uses. It is
// not ok where there is none, or where only a plan knows of it.
func (c Config) Store() (e endpoint.Endpoint, ok bool) {
	for _, all := range [][]endpoint.Endpoint{c.Mounts, c.Peers} {
		for _, e := range all {
			if e.Kind == endpoint.Bucket && len(endpoint.StoreOf(e).URLs) > 0 {
				return e, true
			}
		}
	}
	return endpoint.Endpoint{}, false
}

// AsAdmin is an endpoint as Admin reaches it.
func (c Config) AsAdmin(e endpoint.Endpoint) endpoint.Endpoint {
	e.User, e.Password = Admin, c.AdminPassword
	return e
}

// Engine makes servers of one kind.
type Engine interface {
	Name() string
	// Kind is the kind of its servers' endpoints. Workloads ask for it:
	// sql:postgres.
	Kind() string
	// Find looks for an installation of the version (major; empty for the newest), fetching
	// an embedded one when allowed. The error names the package to install.
	Find(ctx context.Context, version string, fetch bool) (Installation, error)
	// Initialise returns the one-shot servers (initdb) that make an empty data
	// directory on ${VOLUME}, to be run to their end in order. Servers that keep
	// nothing have none.
	Initialise(in Installation, c Config) []Server
	// Server returns the server that runs on an initialised ${VOLUME}.
	Server(in Installation, c Config) Server
	// Memory estimates the need of one instance in bytes, for the plan.
	Memory(c Config) int64
	// Overhead estimates the bytes on disk of an empty initialised volume.
	Overhead() int64
	// Capabilities are the abilities that not every engine has.
	Capabilities() Capabilities
}
