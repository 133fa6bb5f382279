// Package stand gives benchmarks a real server, of a database or of objects: started with the
// product's own engines and platform, with a workload's data set loaded, and
// removed without trace afterwards.
package stand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Stand is one running server.
type Stand struct {
	Target  workload.Target // as users reach it
	Admin   workload.Target // who may make tables
	Version string
	Dir     string // for the benchmark's own files

	workload workload.Workload
	users    int
	engine   app.Engine
	process  platform.Process // of the first server
	platform *local.Local
	journal  *journal.Journal
}

// Engines lists the databases that Start knows.
func Engines() []string { return []string{"postgres", "mariadb"} }

func engine(name string) (app.Engine, error) {
	for _, e := range []app.Engine{postgres.Engine{}, mariadb.Engine{}, versitygw.Engine{}} {
		if e.Name() == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("unknown engine %q; known: %v", name, Engines())
}

// Start starts a server, which takes the first role of a workload, for so many users below dir (the system's
// temporary directory when empty).
func Start(ctx context.Context, dir, name string, users int, w workload.Workload) (*Stand, error) {
	e, err := engine(name)
	if err != nil {
		return nil, err
	}
	in, err := e.Find(ctx, "", false)
	if err != nil {
		return nil, err
	}
	s := &Stand{Version: in.Version, workload: w, users: users, engine: e}
	if err := s.prepare(dir); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	if err := s.start(ctx, e, in, users); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	return s, nil
}

func (s *Stand) prepare(dir string) (err error) {
	if s.Dir, err = os.MkdirTemp(dir, "plimsoll-bench-"); err != nil {
		return fmt.Errorf("make a directory for the benchmark: %w", err)
	}
	if err := os.Chmod(s.Dir, 0o755); err != nil { // the server runs as another user
		return err
	}
	run := filepath.Base(s.Dir)
	if s.journal, err = journal.Open(filepath.Join(s.Dir, "journal.jsonl"), run); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	s.platform, err = local.New(local.Env{RunID: run, Work: filepath.Join(s.Dir, "work"), Journal: s.journal, Log: log})
	return err
}

func (s *Stand) start(ctx context.Context, engine app.Engine, in app.Installation, users int) (err error) {
	volume := storage.Volume{Name: "bench", Path: filepath.Join(s.Dir, "volume")}
	if err := os.Mkdir(volume.Path, 0o700); err != nil {
		return err
	}
	uid, gid := s.platform.User(volume.Name)
	if err := os.Chown(volume.Path, uid, gid); err != nil {
		return err
	}
	role := s.workload.Roles(s.workload.Defaults())[0].Name
	set := s.workload.Dataset(s.workload.Defaults(), workload.Kinds{role: engine.Kind()}, 1)
	config := app.Config{Name: "db-000", Users: users, Database: set.Roles[role].Database, User: set.Roles[role].User, Password: "bench", AdminPassword: "bench admin"}
	if engine.Name() == "mariadb" {
		config.Settings = map[string]string{"max_prepared_stmt_count": "1000000"} // 40 for each of a thousand users
	}
	for _, step := range engine.Initialise(in, config) {
		if err := s.platform.Run(ctx, step, volume); err != nil {
			return err
		}
	}
	if s.process, err = s.platform.Start(ctx, engine.Server(in, config), volume); err != nil {
		return err
	}
	e := s.process.Endpoint()
	e.Role = role
	s.Target = workload.Target{Endpoints: []endpoint.Endpoint{e}}
	s.Admin = workload.Target{Endpoints: []endpoint.Endpoint{config.AsAdmin(e)}}
	return nil
}

// Add starts a server that keeps nothing. It uses the stand's servers that its role waits for.
func (s *Stand) Add(ctx context.Context, engine app.Engine, role workload.Role, settings map[string]string) error {
	in, err := engine.Find(ctx, "", false)
	if err != nil {
		return err
	}
	config := app.Config{Name: role.Name + "-000", Users: s.users, Password: "bench", AdminPassword: "bench admin", Content: role.Content, Settings: settings}
	for _, peer := range s.Target.Endpoints {
		if slices.Contains(role.After, peer.Role) {
			config.Peers = append(config.Peers, peer)
		}
	}
	process, err := s.platform.Start(ctx, engine.Server(in, config), storage.Volume{})
	if err != nil {
		return err
	}
	e := process.Endpoint()
	e.Role = role.Name
	s.Target.Endpoints = append(s.Target.Endpoints, e)
	return nil
}

// Sessions opens a session of the first server that lists the others, as telemetry does.
func (s *Stand) Sessions(ctx context.Context) (app.Sessions, error) {
	list := s.engine.Capabilities().Sessions
	if list == nil {
		return nil, fmt.Errorf("%s does not list its sessions", s.engine.Name())
	}
	return list(ctx, s.Admin.Endpoints[0])
}

// CPU is the CPU time that the threads of the first server have used; without those that ended.
func (s *Stand) CPU() (used time.Duration, err error) {
	for _, pid := range s.process.(interface{ PIDs() []int }).PIDs() {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil {
			return 0, err
		}
		for _, name := range threads {
			text, err := os.ReadFile(name)
			if err != nil {
				continue // it has ended
			}
			var ran int64
			if _, err := fmt.Sscan(string(text), &ran); err != nil {
				return 0, fmt.Errorf("read %s: %w", name, err)
			}
			used += time.Duration(ran)
		}
	}
	return used, nil
}

// Load loads the workload's data set.
func (s *Stand) Load(ctx context.Context, p workload.Parameters) error {
	return s.workload.Prepare(ctx, s.Admin, p, 1, func(float64) {})
}

// Close stops the server and removes everything.
func (s *Stand) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	var all []error
	if s.platform != nil {
		all = append(all, s.platform.Close(ctx))
	}
	if s.journal != nil {
		all = append(all, s.journal.Close())
	}
	return errors.Join(append(all, os.RemoveAll(s.Dir))...)
}
