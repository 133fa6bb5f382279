// Package local runs instances as processes on this machine: each in a
// session and, where permitted, a control group of its own, reached over a
// unix socket or a loopback port. docs/platform-local.md says what needs root.
//
// Everything it makes carries the run's identifier and is journalled before:
// the processes, the control groups and the directory for sockets and
// secrets.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/logfile"
	"plimsoll/internal/platform/telemetry/prometheus"
)

// Env is what the platform may use.
type Env = platform.Env

// Local is the platform. It is safe for concurrent use.
type Local struct {
	env     Env
	logs    string      // directory for the logs of servers and tasks
	unbound func()      // ends that they are kept from growing without limit
	users   *identities // run servers that refuse to be root
	runtime string      // directory above the servers' private ones
	groups  *cgroup.Tree
	ports   *ports
	// ipc reports whether servers get a namespace of their own for System V shared memory,
	// so that a killed one leaves none behind.
	ipc bool
	// golden keeps the golden store from being emptied.
	golden io.Closer
	// prometheus is asked what machines did; nil where the study names none.
	prometheus *prometheus.Parameters

	containers *containers

	mu      sync.Mutex
	serial  int
	running map[string]*process
	tasks   map[string]*running
	// places keeps where a server was, so that users find it there when it is
	// started again.
	places map[string]remembered
}

type remembered struct {
	serial, port int
	reserved     bool // the port is kept for its next start
}

var _ platform.Platform = (*Local)(nil)

// Capabilities implements platform.Platform.
func (l *Local) Capabilities() platform.Capabilities {
	return platform.Capabilities{HasUser: l.users.has}
}

// New makes the platform's directories and control groups.
func New(env Env) (*Local, error) {
	if env.RunID == "" {
		return nil, errors.New("the local platform needs a run identifier to mark what it makes")
	}
	if env.Log == nil {
		env.Log = slog.New(slog.DiscardHandler)
	}
	if env.Executable == "" {
		env.Executable = "/proc/self/exe"
	}
	l := &Local{env: env, logs: filepath.Join(env.Work, "logs"), ports: newPorts(), running: map[string]*process{}, tasks: map[string]*running{}, places: map[string]remembered{}, ipc: canSeparateIPC()}
	if err := safefile.Ensure(l.logs, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for logs: %w", err)
	}
	raiseOpenFiles()
	var err error
	if l.users, err = claimUsers(env.Log); err != nil {
		return nil, err
	}
	if l.runtime, err = makeRuntime(env); err != nil {
		return nil, errors.Join(err, l.users.release())
	}
	if l.groups, err = cgroup.New(journal.Name(env.RunID), env.Journal); err != nil {
		return nil, errors.Join(err, l.removeRuntime(), l.users.release())
	}
	l.containers = &containers{local: l, all: map[string]*container{}}
	if err := l.openStore(); err != nil {
		return nil, errors.Join(err, l.groups.Close(context.Background()), l.removeRuntime(), l.users.release())
	}
	l.unbound = logfile.Bound(l.logs)
	return l, nil
}

// longestTrim is how long a run waits for another one that removes golden volumes.
const longestTrim = time.Minute

// openStore holds on to the golden store, if there is to be one.
func (l *Local) openStore() (err error) {
	if l.env.Cache != "" {
		ctx, cancel := context.WithTimeout(context.Background(), longestTrim)
		defer cancel()
		l.golden, err = store(l.env.Cache).use(ctx)
	}
	return err
}

// closeStore lets go of the golden store and trims it.
func (l *Local) closeStore() error {
	if l.golden == nil {
		return nil
	}
	return errors.Join(l.golden.Close(), store(l.env.Cache).trim(l.env.CacheLimit))
}

// User is this process's own, and for root one of the server's own: a user that
// the run has claimed and gives back with Close.
func (l *Local) User(name string) (uid, gid int) {
	who := l.users.user(name)
	return who.uid, who.gid
}

// Find asks the engine, which looks over this machine.
func (l *Local) Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error) {
	return Kind{}.Find(ctx, e, version, fetch)
}

// Abilities says what limits hold here.
func (l *Local) Abilities() platform.Abilities {
	return platform.Abilities{
		CPULimits: l.groups.CPU(), MemoryLimits: l.groups.Memory(),
		Cgroup: l.groups.Version(), Notes: l.groups.Notes(),
	}
}

// closeLimit bounds Close, which must not hang on a server that cannot be
// stopped.
const closeLimit = 3 * time.Minute

// Close stops what still runs, all at once, and removes what the platform
// made. It does so even when ctx has been cancelled.
func (l *Local) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	var wait sync.WaitGroup
	running := l.processes()
	errs := make([]error, len(running))
	for i, p := range running {
		wait.Go(func() { errs[i] = p.Stop(ctx) })
	}
	wait.Wait()
	l.unbound()
	return errors.Join(errors.Join(errs...), l.endTasks(), l.containers.close(ctx), l.groups.Close(ctx), l.removeRuntime(), l.users.release(), l.closeStore())
}

func (l *Local) processes() []*process {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*process
	for _, p := range l.running {
		all = append(all, p)
	}
	return all
}

// enlist keeps a name for one process at a time and numbers it; a name that was
// there before gets its number again.
func (l *Local) enlist(p *process) (serial int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[p.name] != nil {
		return 0, fmt.Errorf("%s is already running", p.name)
	}
	l.running[p.name] = p
	place, again := l.places[p.name]
	if !again {
		l.serial++
		place.serial = l.serial
		l.places[p.name] = place
	}
	return place.serial, nil
}

// port gives the server the port that it had before, or else a free one.
func (l *Local) port(name string) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.places[name]
	if place.reserved {
		place.reserved = false
		l.places[name] = place
		return place.port, nil
	}
	port, err := l.ports.take(place.port)
	place.port = port
	l.places[name] = place
	return port, err
}

// Address reserves a port for a server.
func (l *Local) Address(_ context.Context, s app.Server) (string, error) {
	if s.Place.Apart() {
		return "", fmt.Errorf("the address of %s is not known before it starts: servers that must know each other cannot be deployed as %s", s.Name, s.Place.Deployment)
	}
	port, err := l.port(s.Name)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.places[s.Name]
	place.reserved = true
	l.places[s.Name] = place
	return net.JoinHostPort(host, strconv.Itoa(port)), nil
}

// forgetPort makes the server's next start try another port.
func (l *Local) forgetPort(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.places[name]
	place.port = 0
	l.places[name] = place
}

func (l *Local) delist(p *process) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[p.name] == p {
		delete(l.running, p.name)
	}
}

// Logs lists the logs that were written to since a moment.
func (l *Local) Logs(_ context.Context, since time.Time) ([]platform.Log, error) {
	return logfile.List(l.logs, since)
}
