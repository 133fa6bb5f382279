package campaigntest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// kind is platform.Kind.
type kind struct{ w *World }

// Platform is the world's kind of platform.
func (w *World) Platform() platform.Kind { return kind{w} }

func (kind) Name() string { return "fake" }

func (kind) Defaults() any { return &struct{}{} }

func (kind) Validate(any) []describe.Problem { return nil }

func (k kind) Bind(any) platform.Kind { return k }

func (kind) Capabilities() platform.KindCapabilities {
	return platform.KindCapabilities{Events: kind{}.Events, Platform: (&local{}).Capabilities()}
}

// Offline is the kind itself, which asks nobody.
func (k kind) Offline() platform.Kind { return k }

func (kind) Hosts(storage.Kind) error { return nil }

func (kind) Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error) {
	return e.Find(ctx, version, fetch)
}

func (k kind) Capacity(context.Context) (describe.Capacity, error) {
	return describe.Capacity{Nodes: make([]describe.Node, k.w.Nodes)}, nil
}

func (k kind) Deploys(_ context.Context, d study.Deployment) error {
	return k.w.call("Deploys", string(d))
}

func (k kind) Space(context.Context, string) (describe.Space, error) {
	space := describe.UnknownSpace()
	if k.w.Free != nil {
		space.Bytes = k.w.Free()
	}
	return space, nil
}

func (k kind) Kept(string) platform.Kept { return kept(k) }

// Leaves implements journal.Leaver: all that runs leave is in the world.
func (k kind) Leaves() journal.Owners {
	return journal.Owners{{
		Kinds: []journal.Kind{journal.Process, journal.Mount, journal.Directory, drained.Kind},
		Sweep: journal.Each(func(_ context.Context, _ string, o journal.Object) (r journal.Removal) {
			if r.Err = k.w.call("Sweep", o.String()); r.Err == nil {
				r.Err = k.w.remove(o)
			}
			return r
		}),
	}}
}

// remove removes what a journal lists; a directory only when nothing is mounted
// below it, as on a real machine.
func (w *World) remove(o journal.Object) error {
	w.live.end(o.Name)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch o.Kind {
	case journal.Process:
		delete(w.state.processes, o.Name)
		delete(w.state.serving, address(o.Name))
	case journal.Mount:
		delete(w.state.volumes, o.Path)
	case drained.Kind:
		w.state.drained = false
	case journal.Directory:
		for path := range w.state.volumes {
			if strings.HasPrefix(path, o.Path+"/") {
				return fmt.Errorf("%s still has mounts: %s", o.Path, path)
			}
		}
		return os.RemoveAll(o.Path)
	}
	return nil
}

func (k kind) New(env platform.Env) (platform.Platform, error) {
	if err := k.w.call("New", ""); err != nil {
		return nil, err
	}
	return &local{w: k.w, env: env, logs: map[string]*log{}}, nil
}

// local is a platform.
type local struct {
	w    *World
	env  platform.Env
	mu   sync.Mutex
	logs map[string]*log
}

var _ platform.Platform = (*local)(nil)

func (p *local) Capabilities() platform.Capabilities {
	return platform.Capabilities{Actor: p, Refused: func() int64 { return p.w.Refused.Load() }}
}

// log is the log of a server or task.
type log struct {
	text strings.Builder
	at   time.Time // when it was last written to
}

func (p *local) write(name, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.logs[name]
	if l == nil {
		l = &log{}
		p.logs[name] = l
	}
	l.text.WriteString(text + "\n")
	l.at = time.Now()
}

func (p *local) read(name string) (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := ""
	if l := p.logs[name]; l != nil {
		text = l.text.String()
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func (p *local) Logs(_ context.Context, since time.Time) (all []platform.Log, err error) {
	if err := p.w.call("Logs", ""); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, l := range p.logs {
		if !l.at.Before(since) {
			open := func(context.Context) (io.ReadCloser, error) { return p.read(name) }
			all = append(all, platform.Log{Name: name + ".log", Open: open})
		}
	}
	return all, nil
}

func (p *local) Find(ctx context.Context, e app.Engine, version string, fetch bool) (app.Installation, error) {
	return kind{p.w}.Find(ctx, e, version, fetch)
}

func (p *local) Abilities() platform.Abilities {
	return platform.Abilities{CPULimits: true, MemoryLimits: true}
}

func (p *local) User(string) (uid, gid int) { return os.Geteuid(), os.Getegid() }

// Run lays a volume out.
func (p *local) Run(ctx context.Context, s app.Server, v storage.Volume, _ ...platform.Mounted) error {
	if err := p.w.call("Run", s.Name); err != nil {
		return err
	}
	if err := sleep(ctx, 100*time.Millisecond); err != nil {
		return err
	}
	return p.w.volume(v.Path, func(v *volume) error { v.laidOut = true; return nil })
}

// startTime is how long servers take to start.
const startTime = 200 * time.Millisecond

func (p *local) Start(ctx context.Context, s app.Server, v storage.Volume, _ ...platform.Mounted) (platform.Process, error) {
	if err := p.w.call("Start", s.Name); err != nil {
		return nil, err
	}
	if v.Path != "" {
		if err := p.w.volume(v.Path, isLaidOut); err != nil {
			return nil, fmt.Errorf("start %s: %w", s.Name, err)
		}
	}
	proc := &process{p: p, server: s, done: make(chan struct{}), started: time.Now()}
	if err := p.launch(proc, v.Path); err != nil {
		return nil, err
	}
	err := sleep(ctx, startTime)
	if err == nil {
		err = s.Ready(ctx, proc.Endpoint())
	}
	if err != nil {
		err = fmt.Errorf("%s is not ready: %w", s.Name, err)
		proc.end(err)
		return nil, err
	}
	proc.readyAt = time.Now()
	return proc, nil
}

func isLaidOut(v *volume) error {
	if !v.laidOut {
		return errors.New("its volume is not laid out")
	}
	return nil
}

func (p *local) launch(proc *process, path string) error {
	name := proc.server.Name
	if err := p.env.Journal.Making(journal.Object{Kind: journal.Process, Name: name}); err != nil {
		return err
	}
	w := p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.processes[name] != "" {
		return fmt.Errorf("%s is already running", name)
	}
	if w.state.drained {
		return fmt.Errorf("%s: no node takes it", name)
	}
	w.state.processes[name] = "server"
	w.state.serving[address(name)] = path
	w.live.add(name, proc)
	p.write(name, "ready to accept connections")
	return nil
}

// address is the same whenever a server of the name starts.
// Address implements platform.Platform.
func (p *local) Address(_ context.Context, s app.Server) (string, error) {
	return address(s.Name), p.w.call("Address", s.Name)
}

func address(name string) string { return "fake:" + name }

// Observe samples one value a second, and passes the first on at once.
func (p *local) Observe(_ context.Context, o platform.Observation) (platform.Observer, error) {
	if err := p.w.call("Observe", ""); err != nil {
		return nil, err
	}
	if o.Seen != nil {
		s := utilisation(o)
		s.Times, s.Values = []int64{0}, []float64{0.5}
		o.Seen([]result.Series{s})
	}
	return observer{p.w, o}, nil
}

func utilisation(o platform.Observation) result.Series {
	return result.Series{Kind: "machine", Metric: "utilisation", Unit: "1", Machine: "fake", Start: o.Start.UnixMilli()}
}

type observer struct {
	w *World
	o platform.Observation
}

func (o observer) Stop(context.Context) (platform.Observed, error) {
	if err := o.w.call("Observer.Stop", ""); err != nil {
		return platform.Observed{}, err
	}
	s := utilisation(o.o)
	for at := o.o.Start; at.Before(time.Now()); at = at.Add(time.Second) {
		s.Times, s.Values = append(s.Times, at.Sub(o.o.Start).Milliseconds()), append(s.Values, 0.5)
	}
	machine := result.Host{Name: "fake", Roles: []string{result.ApplicationRole, result.DriverRole, result.StorageRole}}
	return platform.Observed{Machines: []result.Host{machine}, Series: append(o.gauges(), s)}, nil
}

// gauges are what the servers that run at the end count of themselves.
func (o observer) gauges() (all []result.Series) {
	for _, i := range o.o.Instances() {
		if i.Meter == nil {
			continue
		}
		r, err := i.Meter.Read(context.Background(), i.Process.Endpoint())
		if err != nil {
			continue
		}
		for metric, value := range map[string]float64{"busy": r.Busy, "capacity": r.Capacity, "waiting": r.Waiting} {
			s := result.Series{Kind: "gauge", Name: i.Name + "/" + i.Meter.Gauge().Name, Metric: metric, Unit: "1", Machine: "fake", Start: o.o.Start.UnixMilli()}
			for at := o.o.Start; at.Before(time.Now()); at = at.Add(time.Second) {
				s.Times, s.Values = append(s.Times, at.Sub(o.o.Start).Milliseconds()), append(s.Values, value)
			}
			all = append(all, s)
		}
	}
	return all
}

// CopyOut writes the records of a volume into a file.
func (p *local) CopyOut(_ context.Context, v storage.Volume, to string) error {
	if err := p.w.call("CopyOut", v.Name); err != nil {
		return err
	}
	var text string
	err := p.w.volume(v.Path, func(v *volume) error {
		text = strings.Join(slices.Sorted(maps.Keys(v.records)), "\n")
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(os.Mkdir(to, 0o700), os.WriteFile(filepath.Join(to, "records"), []byte(text), 0o600))
}

func (p *local) Close(context.Context) error {
	if err := p.w.call("Close", ""); err != nil {
		return err
	}
	p.w.live.stopAll()
	return nil
}

// volume does something with a volume that is there.
func (w *World) volume(path string, do func(*volume) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.state.volumes[path]
	if v == nil {
		return fmt.Errorf("volume %s is gone: %w", path, os.ErrNotExist)
	}
	return do(v)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// process is a server.
type process struct {
	p                *local
	server           app.Server
	started, readyAt time.Time

	mu    sync.Mutex
	ended bool
	err   error
	done  chan struct{}
}

func (s *process) Name() string             { return s.server.Name }
func (s *process) Done() <-chan struct{}    { return s.done }
func (s *process) Started() time.Time       { return s.started }
func (s *process) ReadyAt() time.Time       { return s.readyAt }
func (s *process) Asked() endpoint.Endpoint { return s.Endpoint() }

func (s *process) Endpoint() endpoint.Endpoint {
	return endpoint.Endpoint{
		Kind: s.server.Kind, Address: address(s.server.Name),
		User: s.server.User, Password: s.server.Password, Payload: s.server.Payload,
	}
}

func (s *process) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *process) Log(context.Context) (io.ReadCloser, error) {
	if err := s.p.w.call("Process.Log", s.Name()); err != nil {
		return nil, err
	}
	return s.p.read(s.Name())
}

func (s *process) Stop(context.Context) error {
	if err := s.p.w.call("Process.Stop", s.Name()); err != nil {
		return err
	}
	s.end(nil)
	return nil
}

func (s *process) Kill() error {
	if err := s.p.w.call("Process.Kill", s.Name()); err != nil {
		return err
	}
	s.end(fmt.Errorf("%s was killed on request", s.Name()))
	return nil
}

// end ends it, with all that belongs to it.
func (s *process) end(why error) {
	if !s.finish(why) {
		return
	}
	w := s.p.w
	w.live.forget(s.Name())
	w.mu.Lock()
	delete(w.state.processes, s.Name())
	delete(w.state.serving, address(s.Name()))
	w.mu.Unlock()
	_ = s.p.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: s.Name()}) // else it is looked for in vain
	close(s.done)
}

// exit is what becomes of it for a campaign whose own process has ended.
func (s *process) exit() {
	if s.finish(errors.New("the campaign's process ended")) {
		close(s.done)
	}
}

func (s *process) finish(why error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.ended, s.err = true, why
	return true
}

// Kill has a running server or task end by itself; it says whether there was one.
func (w *World) Kill(name, why string) bool { return w.live.fail(name, errors.New(why)) }

// KillAny has a running server end by itself, if there is one.
func (w *World) KillAny(why string) {
	if p := w.live.server(); p != nil {
		p.end(errors.New(why))
	}
}
