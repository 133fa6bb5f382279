package workloadtest

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Instance is an empty server of an engine, which ends with the test.
type Instance struct {
	platform platform.Platform
	server   app.Server
	volume   storage.Volume
	process  platform.Process
	config   app.Config
	role     string
	others   []added
}

// added is a server beside that of the data set.
type added struct {
	role    string
	process platform.Process
}

// Start initialises a volume and starts a server on it, in the way of the
// local platform, that fills a role and is ready for a data set.
func Start(t *testing.T, e app.Engine, role string, set workload.Dataset) *Instance {
	t.Helper()
	in, err := e.Find(t.Context(), "", false)
	if err != nil {
		t.Fatalf("no installation to test with: %v", err)
	}
	p := localtest.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil { // the test's own context has ended
			t.Errorf("close the platform: %v", err)
		}
	})
	config := app.Config{Name: "db", Users: 8, Database: set.Database,
		User: set.User, Password: "a password's \"quotes\"", AdminPassword: "the admin's"}
	i := &Instance{config: config, role: role, platform: p, server: e.Server(in, config), volume: localtest.Volume(t, p, config.Name)}
	for _, step := range e.Initialise(in, config) {
		if err := p.Run(t.Context(), step, i.volume); err != nil {
			t.Fatalf("initialise: %v", err)
		}
	}
	i.start(t)
	return i
}

// Add starts a server that keeps nothing and uses those of the instance that its role
// waits for, such as a web server. It ends with the test, too.
func (i *Instance) Add(t *testing.T, e app.Engine, role workload.Role, settings map[string]string) platform.Process {
	t.Helper()
	in, err := e.Find(t.Context(), "", false)
	if err != nil {
		t.Fatalf("no installation to test with: %v", err)
	}
	config := i.config
	config.Name, config.Settings, config.Content = role.Name, settings, role.Content
	for _, peer := range i.Target().Endpoints {
		if slices.Contains(role.After, peer.Role) {
			config.Peers = append(config.Peers, peer)
		}
	}
	process, err := i.platform.Start(t.Context(), e.Server(in, config), storage.Volume{})
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	i.others = append(i.others, added{role.Name, process})
	return process
}

func (i *Instance) start(t *testing.T) {
	t.Helper()
	process, err := i.platform.Start(t.Context(), i.server, i.volume)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	i.process = process
}

// crash kills the server and starts it again.
func (i *Instance) crash(t *testing.T) {
	t.Helper()
	i.Kill(t)
	i.Recover(t)
}

// Kill kills the server and waits for its end.
func (i *Instance) Kill(t *testing.T) {
	t.Helper()
	if err := i.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-i.process.Done()
}

// Recover starts the server after Kill. It may answer elsewhere.
func (i *Instance) Recover(t *testing.T) {
	t.Helper()
	i.start(t)
}

// Restart stops the server cleanly and starts it again.
func (i *Instance) Restart(t *testing.T) {
	t.Helper()
	if err := i.process.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.start(t)
}

// Volume is where its data lie.
func (i *Instance) Volume() string { return i.volume.Path }

// Target is how users reach the instance.
func (i *Instance) Target() workload.Target {
	to := i.target(i.process.Endpoint())
	for _, other := range i.others {
		e := other.process.Endpoint()
		e.Role = other.role
		to.Endpoints = append(to.Endpoints, e)
	}
	return to
}

// Admin is how the administrator reaches it.
func (i *Instance) Admin() workload.Target { return i.target(i.config.AsAdmin(i.process.Endpoint())) }

func (i *Instance) target(e endpoint.Endpoint) workload.Target {
	e.Role = i.role
	return workload.Target{Endpoints: []endpoint.Endpoint{e}}
}

// diskUse counts the allocated blocks of the volume.
func (i *Instance) diskUse(t *testing.T) (total int64) {
	t.Helper()
	err := filepath.WalkDir(i.volume.Path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // files come and go under a running server
		}
		if info, err := d.Info(); err == nil {
			total += info.Sys().(*syscall.Stat_t).Blocks * 512 // stat(2): whatever the file system's are
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
