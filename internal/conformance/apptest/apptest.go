// Package apptest is the conformance suite of engines, with real servers: an engine's test
// calls Run with the engine, a platform, and a function that queries its servers as a user
// does. An engine whose servers store data also gives volumes, and a Store to test them
// with. Package sqltest holds the further tests of SQL engines. (Package apptest imports
// platforms, which are above engines; only tests import it.)
package apptest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// Suite is one engine and where to try it.
type Suite struct {
	Engine app.Engine
	// Version and Fetch say which installation to test, as Engine.Find takes
	// them.
	Version string
	Fetch   bool
	// Platform gives a platform that the test may use alone; the suite closes it.
	Platform func(t *testing.T) platform.Platform
	// Configure adds what a server of the test uses and serves; nil adds nothing.
	Configure func(t *testing.T, p platform.Platform, c app.Config) app.Config
	// Ask asks a server for something as a user does. Nil counts what its Store holds.
	Ask func(t *testing.T, e endpoint.Endpoint) error
	// Least is the smallest memory limit that the engine accepts, in bytes.
	Least int64
	// Alone reports whether a server is one process.
	Alone bool

	// Volume gives an empty volume that servers on the platform may use. Nil means that the
	// engine's servers store nothing; the fields below are for servers that do.
	Volume func(t *testing.T, p platform.Platform, name string) storage.Volume
	// Plain reports whether volumes have names of letters, digits and hyphens only.
	Plain bool
	// Open gives what a running server keeps, as whoever may make it.
	Open func(ctx context.Context, c app.Config, e endpoint.Endpoint) (Store, error)
	// Largest is how many bytes an empty initialised volume may take; 0 is any number.
	Largest int64
	// Small is the memory limit of a server of a crowd with SmallUsers users, in bytes;
	// zero is Least.
	Small int64
}

// SmallUsers is how many users a server of a crowd has.
const SmallUsers = 16

// Store is what a server keeps: rows of a table, objects of a bucket, messages.
type Store interface {
	// Put keeps a value, of up to 50 letters, under a key that is new. It outlives the
	// server's death once Put has returned.
	Put(ctx context.Context, key, value string) error
	// Get gives the value of a key.
	Get(ctx context.Context, key string) (string, error)
	// Count is how many values there are.
	Count(ctx context.Context) (int, error)
	Close() error
}

// Run runs every test of the suite.
func Run(t *testing.T, s Suite) { New(t, s).Run(t) }

// Bench is an engine's suite with the installation that is tried.
type Bench struct {
	Suite
	In app.Installation
}

// New finds the installation to test.
func New(t *testing.T, s Suite) Bench {
	t.Helper()
	quick.Skip(t, quick.Servers)
	in, err := s.Engine.Find(t.Context(), s.Version, s.Fetch)
	if err != nil {
		t.Fatalf("no installation to test with: %v", err)
	}
	t.Logf("%s %s, %s", in.Engine, in.Version, in.Source)
	return Bench{Suite: s, In: in}
}

// Run runs every test of the suite.
func (b Bench) Run(t *testing.T) {
	t.Run("installation is described", b.describes)
	t.Run("missing version says what to install", b.missingVersion)
	t.Run("settings and limits are judged before a start", b.judgesConfig)
	t.Run("what it keeps survives a restart", b.restart)
	t.Run("it comes back where it was after a kill", b.comesBack)
	t.Run("an interrupted start leaves nothing behind", b.interrupted)
	t.Run("nothing of it outlives its first process", b.endsAltogether)
	t.Run("a taken port leads to another try", b.portTaken)
	t.Run("a broken configuration is refused with a reason", b.broken)
	t.Run("it starts in the least memory that it accepts", b.least)
	t.Run("it runs as the platform's user and writes nowhere else", b.keepsToItself)
	t.Run("no other user of the machine reaches it", b.letsNobodyIn)
	t.Run("no secret is in a log or on a command line", b.secrets)
	if b.Volume == nil {
		t.Run("it needs no volume and lays none out", b.keepsNothing)
		return
	}
	t.Run("an empty volume is refused with a reason", b.emptyVolume)
	t.Run("a copy of a stopped volume serves", b.clone)
	t.Run("its own check finds a damaged page", b.checks)
	t.Run("it does what it declares", b.acts)
	if b.Engine.Capabilities().SharesVolumes {
		t.Run("servers on one volume serve the same", b.shares)
	}
	t.Run("a small server holds many connections", b.small)
}

const password, adminPassword = `it's a "se\cret`, `an admin's "se\cret`

// Config is a usual configuration of a server, whose users may use database ds2.
func (b Bench) Config(name string) app.Config {
	return app.Config{
		Name: name, Users: 4, Password: password, Database: "ds2", User: "web", AdminPassword: adminPassword,
		Limits: describe.Limits{Memory: max(256<<20, b.Least)},
	}
}

// Configured is a platform, which ends with the test, and a configuration for a server
// on it.
func (b Bench) Configured(t *testing.T, name string) (platform.Platform, app.Config) {
	t.Helper()
	p := b.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("close the platform: %v", err)
		}
	})
	c := b.Config(name)
	if b.Configure != nil {
		c = b.Configure(t, p, c)
	}
	return p, c
}

// Initialised gives a volume that the engine has laid out; none where servers keep
// nothing.
func (b Bench) Initialised(t *testing.T, p platform.Platform, c app.Config) storage.Volume {
	t.Helper()
	return b.initialisedAt(t, p, c, c.Name)
}

// initialisedAt gives a volume whose directory has a name of its own.
func (b Bench) initialisedAt(t *testing.T, p platform.Platform, c app.Config, name string) storage.Volume {
	t.Helper()
	if b.Volume == nil {
		return storage.Volume{}
	}
	v := b.Volume(t, p, name)
	for _, step := range b.Engine.Initialise(b.In, c) {
		if err := p.Run(t.Context(), step, v); err != nil {
			t.Fatalf("initialise: %v", err)
		}
	}
	return v
}

// Start starts a server, which answers.
func (b Bench) Start(t *testing.T, p platform.Platform, c app.Config, v storage.Volume) platform.Process {
	t.Helper()
	proc, err := p.Start(t.Context(), b.Engine.Server(b.In, c), v)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Logf("%s: ready after %s", c.Name, proc.ReadyAt().Sub(proc.Started()).Round(time.Millisecond))
	if err := b.ask(t, c, proc.Endpoint()); err != nil {
		t.Fatalf("%s does not answer: %v", c.Name, err)
	}
	return proc
}

// ask asks a server as a user does.
func (b Bench) ask(t *testing.T, c app.Config, e endpoint.Endpoint) error {
	t.Helper()
	if b.Ask != nil {
		return b.Ask(t, e)
	}
	s, err := b.Open(t.Context(), c, e)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Count(t.Context())
	return err
}

// store is what a server keeps; nil where it keeps nothing.
func (b Bench) store(t *testing.T, c app.Config, p platform.Process) Store {
	t.Helper()
	if b.Volume == nil {
		return nil
	}
	s, err := b.Open(t.Context(), c, p.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// put keeps a value under each of n keys, where anything is kept.
func (b Bench) put(t *testing.T, c app.Config, p platform.Process, n int, value string) {
	t.Helper()
	s := b.store(t, c, p)
	for i := 0; s != nil && i < n; i++ {
		if err := s.Put(t.Context(), keyOf(i), value); err != nil {
			t.Fatal(err)
		}
	}
}

// expect looks for what put has kept.
func (b Bench) expect(t *testing.T, c app.Config, p platform.Process, n int, value string) {
	t.Helper()
	s := b.store(t, c, p)
	if s == nil {
		return
	}
	if found, err := s.Count(t.Context()); err != nil || found != n {
		t.Errorf("%s holds %d of %d values: %v", c.Name, found, n, err)
	}
	for i := range n {
		if found, err := s.Get(t.Context(), keyOf(i)); err != nil || found != value {
			t.Errorf("%s has %q under %s, want %q: %v", c.Name, found, keyOf(i), value, err)
		}
	}
}

func keyOf(i int) string { return fmt.Sprintf("key-%d", i) }
