package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload/driver"
)

// cluster is a platform whose nodes, servers and volumes are only said to be there. Its
// tasks run in this process and speak as real ones do; drivers do it as fast as they are
// listened to. What a campaign does not ask of it is left out.
type cluster struct {
	platform.Kind
	size size
	wire *atomic.Int64 // bytes that drivers sent
}

func (cluster) Name() string                                    { return "simulated" }
func (c cluster) Bind(any) platform.Kind                        { return c }
func (cluster) Deploys(context.Context, study.Deployment) error { return nil }
func (cluster) Space(context.Context, string) (describe.Space, error) {
	return describe.UnknownSpace(), nil
}
func (cluster) Capabilities() platform.KindCapabilities { return platform.KindCapabilities{} }

func (cluster) Hosts(storage.Kind) error { return nil }

func (cluster) Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error) {
	return e.Find(ctx, version, fetch)
}

// Capacity has nodes with room for a few more instances than there are.
func (c cluster) Capacity(context.Context) (describe.Capacity, error) {
	has := describe.Capacity{Where: "the cluster", Requests: 1}
	for n := range c.size.nodes {
		has.Nodes = append(has.Nodes, describe.Node{Name: nodeName(n), MilliCPU: 16_000, MemoryBytes: 64 << 30, Servers: 110})
	}
	return has, nil
}

func (c cluster) New(env platform.Env) (platform.Platform, error) {
	return &running{cluster: c, journal: env.Journal}, env.Journal.Making(object())
}

// object is all that the journal has of a cluster, whatever is made in it.
func object() journal.Object {
	return journal.Object{Kind: "simulated", Name: "simulated", Path: "simulated"}
}

// running is the platform of a run.
type running struct {
	platform.Platform
	cluster
	journal *journal.Journal
}

func (*running) Abilities() platform.Abilities {
	return platform.Abilities{CPULimits: true, MemoryLimits: true}
}

func (*running) Capabilities() platform.Capabilities { return platform.Capabilities{} }

func (*running) User(string) (uid, gid int) { return 0, 0 }

func (r *running) Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error) {
	return r.cluster.Find(ctx, e, version, fetch)
}

func (*running) Golden(context.Context, string) (platform.Golden, bool, error) {
	return platform.Golden{}, false, nil
}

func (*running) MakeGolden(_ context.Context, key string, claims []storage.Claim, fill func(map[string]storage.Volume) ([]byte, error)) (platform.Golden, error) {
	made := platform.Golden{Key: key, Sources: map[string]string{}}
	volumes := map[string]storage.Volume{}
	for _, c := range claims {
		volumes[c.Name] = volume(c)
		made.Sources[c.Name] = volumes[c.Name].Path
	}
	var err error
	made.Note, err = fill(volumes)
	return made, err
}

func volume(c storage.Claim) storage.Volume {
	return storage.Volume{Name: c.Name, Path: filepath.Join("/simulated", c.Name), Claim: c.Name}
}

func (*running) Run(context.Context, app.Server, storage.Volume, ...platform.Mounted) error {
	return nil
}

func (*running) Start(_ context.Context, s app.Server, _ storage.Volume, _ ...platform.Mounted) (platform.Process, error) {
	return &server{Server: s, at: time.Now(), done: make(chan struct{})}, nil
}

func (*running) Reserve(context.Context, []platform.Task) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

func (*running) Logs(context.Context, time.Time) ([]platform.Log, error) { return nil, nil }

func (r *running) Close(context.Context) error { return r.journal.Removed(object()) }

// server is one that is said to run.
type server struct {
	platform.Process
	app.Server
	at   time.Time
	once sync.Once
	done chan struct{}
}

func (s *server) Name() string          { return s.Server.Name }
func (s *server) Done() <-chan struct{} { return s.done }
func (s *server) Err() error            { return nil }
func (s *server) Started() time.Time    { return s.at }
func (s *server) ReadyAt() time.Time    { return s.at }
func (s *server) Kill() error           { return s.Stop(context.Background()) }

func (s *server) Endpoint() endpoint.Endpoint {
	return endpoint.Endpoint{Kind: s.Server.Kind, Address: s.Server.Name + ":5432", User: s.User, Password: s.Password, Payload: s.Payload}
}

func (s *server) Stop(context.Context) error {
	s.once.Do(func() { close(s.done) })
	return nil
}

func (s *server) Log(context.Context) (io.ReadCloser, error) { return log() }

func log() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("ready\n")), nil }

// Task begins a task, whose output waits for whoever follows it.
func (r *running) Task(_ context.Context, t platform.Task) (platform.Running, error) {
	var in bytes.Buffer
	if err := write(&in, t); err != nil {
		return nil, err
	}
	handlers := job.Handlers(job.Registries{Workloads: workloads(), Engines: engines()})
	handlers[driver.TaskKind] = r.size.drive
	from, to := io.Pipe()
	made := &taskOf{name: t.Name, out: from, done: make(chan struct{})}
	counted := io.Writer(to)
	if t.Job.Kind == driver.TaskKind {
		counted = counter{to, r.wire}
	}
	go func() {
		defer close(made.done)
		made.err = task.Main(context.Background(), &in, counted, handlers)
		_ = to.CloseWithError(made.err) // gives no error
	}()
	return made, nil
}

func write(to io.Writer, t platform.Task) error {
	if t.Input == nil {
		return task.WriteJob(to, t.Job, nil)
	}
	input, err := t.Input()
	if err != nil {
		return err
	}
	return errors.Join(task.WriteJob(to, t.Job, input), input.Close())
}

// taskOf is a task that is followed once, from its beginning.
type taskOf struct {
	name string
	out  *io.PipeReader
	done chan struct{}
	err  error // once done
}

func (t *taskOf) Name() string                                        { return t.name }
func (t *taskOf) Done() <-chan struct{}                               { return t.done }
func (t *taskOf) Open(context.Context, uint64) (io.ReadCloser, error) { return t.out, nil }
func (t *taskOf) Log(context.Context) (io.ReadCloser, error)          { return log() }
func (t *taskOf) Stop(context.Context) error                          { return t.Kill() }
func (t *taskOf) Remove(context.Context) error                        { return nil }

func (t *taskOf) Err() error {
	<-t.done
	return t.err
}

func (t *taskOf) Kill() error {
	err := t.out.Close()
	<-t.done
	return err
}

// counter counts the bytes written to it.
type counter struct {
	to    io.Writer
	bytes *atomic.Int64
}

func (c counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.bytes.Add(int64(n))
	return n, err
}

// classKind makes classes.
type classKind struct{}

func (classKind) Name() string                                        { return "simulated" }
func (classKind) Defaults() any                                       { return &struct{}{} }
func (classKind) Validate(any) []describe.Problem                     { return nil }
func (classKind) Usable(any) error                                    { return nil }
func (classKind) Place(any) storage.Place                             { return storage.Place{Elsewhere: true} }
func (classKind) New(string, any, storage.Env) (storage.Class, error) { return class{}, nil }

func (classKind) VolumeKinds(any) []string               { return []string{endpoint.Directory} }
func (classKind) Capabilities() storage.KindCapabilities { return storage.KindCapabilities{} }

// class hands out volumes that are only said to be there.
type class struct{}

func (class) Capabilities() storage.Capabilities { return storage.Capabilities{} }

func (class) Up(context.Context) error   { return nil }
func (class) Down(context.Context) error { return nil }

func (class) Describe() describe.Storage {
	return describe.Storage{Class: "simulated", Text: "simulated volumes"}
}
func (class) Devices() []describe.Device { return nil }
func (class) Nodes() []storage.Node      { return nil }

func (class) Import(context.Context, string, string) error { return nil }
func (class) Provision(_ context.Context, c storage.Claim) (storage.Volume, error) {
	return volume(c), nil
}
func (class) Clone(_ context.Context, _ string, c storage.Claim) (storage.Volume, error) {
	return volume(c), nil
}
func (class) Delete(context.Context, storage.Volume) error { return nil }
func (class) Settle(context.Context) (string, error)       { return "", nil }
