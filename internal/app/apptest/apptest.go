// Package apptest is what every engine must pass, with real servers: an
// engine's test calls Run with the engine and a platform. (It uses platforms,
// which lie above engines; only tests import it.)
package apptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"plimsoll/internal/app"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/fetch"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
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
	// Volume gives an empty volume that servers on the platform may use.
	Volume func(t *testing.T, p platform.Platform, name string) storage.Volume
	// Plain says that volumes have names of letters, digits and hyphens alone.
	Plain bool
	// Open connects to a target.
	Open func(t endpoint.Endpoint) (*sql.DB, error)
	// Largest is how many bytes an empty initialised volume may take.
	Largest int64
}

// FetchVariable names the environment variable that has tests fetch engines,
// which takes up to 150 MB from the network.
const FetchVariable = "PLIMSOLL_TEST_FETCH"

// Fetching skips a test unless fetching was asked for, and keeps what it
// fetches out of the user's cache.
func Fetching(t *testing.T) {
	if os.Getenv(FetchVariable) == "" {
		t.Skipf("fetches an engine from the network: set %s=1 to run it", FetchVariable)
	}
	dir, err := os.MkdirTemp("", "plimsoll-engines-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(fetch.CacheVariable, dir)
}

// Run runs every test of the suite.
func Run(t *testing.T, s Suite) {
	in, err := s.Engine.Find(t.Context(), s.Version, s.Fetch)
	if err != nil {
		t.Fatalf("no installation to test with: %v", err)
	}
	t.Logf("%s %s, %s", in.Engine, in.Version, in.Source)
	b := bench{Suite: s, in: in}
	t.Run("installation is described", b.describes)
	t.Run("missing version says what to install", func(t *testing.T) { b.missingVersion(t, "1", "99") })
	t.Run("the declared user can do what a shop does, and no more", b.rights)
	t.Run("data survive a restart", b.restart)
	t.Run("committed data survive a kill", b.crash)
	t.Run("a copy of a stopped volume serves", b.clone)
	t.Run("its own check finds a damaged page", b.checks)
	t.Run("a database on a running server is used and given back", b.borrows)
	t.Run("an empty volume is refused with a reason", b.emptyVolume)
	t.Run("a wrong password is refused with a reason", b.wrongPassword)
	t.Run("a setting of the study is last", b.settings)
	t.Run("settings and limits are judged before a start", b.judgesConfig)
	t.Run("settings that give up durability are the server's", b.givesUp)
	t.Run("durability is read from the server", b.readsDurability)
	t.Run("a small server holds many connections", b.small)
	t.Run("no secret is in a log or on a command line", b.secrets)
}

// judgesConfig tries what every server refuses; the real ones of an engine are in
// its own tests.
func (b bench) judgesConfig(t *testing.T) {
	checker, ok := b.Engine.(app.ConfigChecker)
	if !ok {
		t.Skip("the engine cannot judge a configuration")
	}
	c := b.config("checked")
	if found, err := checker.CheckConfig(t.Context(), b.in, c); err != nil || len(found) > 0 {
		t.Errorf("a usual configuration: %v, %v", found, err)
	}
	c.Settings = map[string]string{"no_such_setting_at_all": "1"}
	c.Limits.Memory = 8 << 20
	found, err := checker.CheckConfig(t.Context(), b.in, c)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, f := range found {
		fields = append(fields, f.Field)
		if f.Reason == "" {
			t.Errorf("%s is refused without a reason", f.Field)
		}
	}
	if want := []string{"memory", "settings.no_such_setting_at_all"}; !slices.Equal(fields, want) {
		t.Errorf("refused %v, want %v", fields, want)
	}
}

type bench struct {
	Suite
	in app.Installation
}

const password, adminPassword = `it's a "se\cret`, `an admin's "se\cret`

func (b bench) config(name string) app.Config {
	return app.Config{
		Name: name, Users: 4, Password: password, Database: "ds2", User: "web", AdminPassword: adminPassword,
		Limits: app.Limits{Memory: 256 << 20},
	}
}

// initialised gives a volume that the engine has laid out.
func (b bench) initialised(t *testing.T, p platform.Platform, c app.Config) storage.Volume {
	t.Helper()
	return b.initialisedAt(t, p, c, c.Name)
}

// awkward has the characters that configuration files give a meaning to; some to a
// pattern or a shell.
const awkward = `o'hara "a\b" #1 [x] $HOME ${PORT} %d; ä & b`

// initialisedAt gives a volume whose directory has a name of its own.
func (b bench) initialisedAt(t *testing.T, p platform.Platform, c app.Config, name string) storage.Volume {
	t.Helper()
	v := b.Volume(t, p, name)
	for _, step := range b.Engine.Initialise(b.in, c) {
		if err := p.Run(t.Context(), step, v); err != nil {
			t.Fatalf("initialise: %v", err)
		}
	}
	return v
}

func (b bench) start(t *testing.T, p platform.Platform, c app.Config, v storage.Volume) platform.Process {
	t.Helper()
	proc, err := p.Start(t.Context(), b.Engine.Server(b.in, c), v)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Logf("%s: ready after %s", c.Name, proc.ReadyAt().Sub(proc.Started()).Round(time.Millisecond))
	return proc
}

// open connects as the administrator, who may make tables.
func (b bench) open(t *testing.T, p platform.Process) *sql.DB {
	t.Helper()
	return b.openTarget(t, app.Config{AdminPassword: adminPassword}.AsAdmin(p.Endpoint()))
}

func (b bench) openTarget(t *testing.T, to endpoint.Endpoint) *sql.DB {
	t.Helper()
	db, err := b.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func (b bench) platform(t *testing.T) platform.Platform {
	t.Helper()
	p := b.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("close the platform: %v", err)
		}
	})
	return p
}

func (b bench) describes(t *testing.T) {
	if b.in.Engine != b.Engine.Name() || b.in.Version == "" || b.in.Source == "" {
		t.Errorf("installation %+v", b.in)
	}
	for program, path := range b.in.Paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", program, err)
		}
	}
	c := b.config("estimate")
	if m := b.Engine.Memory(c); m <= 0 || m > c.Limits.Memory {
		t.Errorf("memory estimate %d with a limit of %d", m, c.Limits.Memory)
	}
	c.Limits = app.Limits{}
	if b.Engine.Memory(c) <= 0 {
		t.Error("no memory estimate without a limit")
	}
}

func (b bench) missingVersion(t *testing.T, versions ...string) {
	for _, version := range versions {
		_, err := b.Engine.Find(t.Context(), version, false)
		if err == nil {
			t.Fatalf("found version %s", version)
		}
		if !strings.Contains(err.Error(), "install") && !strings.Contains(err.Error(), "is not supported: use ") {
			t.Errorf("the error does not help: %v", err)
		}
	}
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func rows(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM orders").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (b bench) restart(t *testing.T) {
	p, c := b.platform(t), b.config("restart")
	name := awkward
	if b.Plain {
		name = c.Name
	}
	v := b.initialisedAt(t, p, c, name)
	first := b.start(t, p, c, v)
	runAs(t, p, first, v.Name)
	if e := first.Endpoint(); os.Geteuid() == 0 && e.Network == "unix" {
		localtest.Unreachable(t, e.Address) // and on TCP it asks for the password
		b.closed(t, first, c, v)
	}
	execute(t, b.open(t, first), "CREATE TABLE orders (id int PRIMARY KEY)", "INSERT INTO orders VALUES (1), (2), (3)")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatalf("stop: %v", err)
	}
	if err := first.Err(); err != nil {
		t.Errorf("after Stop, Err is %v", err)
	}
	second := b.start(t, p, c, v)
	if n := rows(t, b.open(t, second)); n != 3 {
		t.Errorf("%d of 3 rows after a restart", n)
	}
}

// closed checks that another user of the machine gets neither to a server's volume nor to
// its files and processes.
func (b bench) closed(t *testing.T, server platform.Process, c app.Config, v storage.Volume) {
	t.Helper()
	at := app.Surroundings{Volume: v.Path, Runtime: filepath.Dir(server.Endpoint().Address)}
	paths := []string{v.Path, at.Runtime}
	for _, f := range b.Engine.Server(b.in, c).Files {
		paths = append(paths, at.Expand(f.Path))
	}
	err := filepath.WalkDir(v.Path, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		if errors.Is(err, fs.ErrNotExist) { // files come and go under a running server
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	localtest.Closed(t, server.(interface{ PIDs() []int }).PIDs(), paths...)
}

// runAs looks whether all of a server's processes are the user that the platform has for
// it.
func runAs(t *testing.T, p platform.Platform, server platform.Process, name string) {
	t.Helper()
	here, ok := server.(interface{ PIDs() []int })
	if !ok {
		return // its processes are another machine's
	}
	uid, _ := p.User(name)
	for _, pid := range here.PIDs() {
		process, err := procfs.NewProc(pid)
		if err != nil {
			continue // it has ended
		}
		if status, err := process.NewStatus(); err == nil && status.UIDs != [4]uint64{uint64(uid), uint64(uid), uint64(uid), uint64(uid)} {
			t.Errorf("process %d is of users %v, not %d", pid, status.UIDs, uid)
		}
	}
}

func (b bench) crash(t *testing.T) {
	p, c := b.platform(t), b.config("crash")
	v := b.initialised(t, p, c)
	first := b.start(t, p, c, v)
	db := b.open(t, first)
	execute(t, db, "CREATE TABLE orders (id int PRIMARY KEY)")
	for i := range 20 {
		execute(t, db, fmt.Sprintf("INSERT INTO orders VALUES (%d)", i))
	}
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.Done()
	if first.Err() == nil {
		t.Error("after Kill, Err is nil")
	}
	second := b.start(t, p, c, v)
	if n := rows(t, b.open(t, second)); n != 20 {
		t.Errorf("%d of 20 rows after a kill", n)
	}
}

// clone does what the campaign does with golden volumes.
func (b bench) clone(t *testing.T) {
	p, c := b.platform(t), b.config("golden")
	v := b.initialised(t, p, c)
	t.Logf("an empty volume takes %.1f MB", float64(diskUse(t, v.Path))/1e6)
	if b.Largest > 0 && diskUse(t, v.Path) > b.Largest {
		t.Errorf("an empty volume takes %d bytes, more than %d", diskUse(t, v.Path), b.Largest)
	}
	first := b.start(t, p, c, v)
	execute(t, b.open(t, first), "CREATE TABLE orders (id int PRIMARY KEY)", "INSERT INTO orders VALUES (1)")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clone-1", "clone-2"} {
		clone := b.Volume(t, p, name)
		uid, gid := p.User(name)
		out, err := exec.Command("sh", "-c", `cp -a "$1/." "$2" && { [ "$(id -u)" != 0 ] || chown -R "$3" "$2"; }`, "sh",
			v.Path, clone.Path, fmt.Sprintf("%d:%d", uid, gid)).CombinedOutput()
		if err != nil {
			t.Fatalf("copy: %v: %s", err, out)
		}
		c.Name = name
		if n := rows(t, b.open(t, b.start(t, p, c, clone))); n != 1 {
			t.Errorf("%s has %d rows", name, n)
		}
	}
}

// diskUse counts allocated blocks.
func diskUse(t *testing.T, dir string) int64 {
	t.Helper()
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += allocated(info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

func (b bench) emptyVolume(t *testing.T) {
	p, c := b.platform(t), b.config("empty")
	_, err := p.Start(t.Context(), b.Engine.Server(b.in, c), b.Volume(t, p, "empty"))
	if err == nil {
		t.Fatal("started on an empty volume")
	}
	for _, want := range []string{"empty", "log"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error says nothing of %q: %v", want, err)
		}
	}
	t.Logf("error: %v", err)
}

func (b bench) wrongPassword(t *testing.T) {
	p, c := b.platform(t), b.config("password")
	v := b.initialised(t, p, c)
	c.Password = "another"
	_, err := p.Start(t.Context(), b.Engine.Server(b.in, c), v)
	if !errors.Is(err, app.ErrHopeless) || !strings.Contains(err.Error(), "not initialised for user") {
		t.Errorf("the error does not help: %v", err)
	}
}

func (b bench) settings(t *testing.T) {
	p, c := b.platform(t), b.config("settings")
	v := b.initialised(t, p, c)
	c.Settings = map[string]string{"max_connections": "33"}
	db := b.open(t, b.start(t, p, c, v))
	query := "SHOW max_connections"
	if b.Engine.Name() == "mariadb" {
		query = "SELECT @@max_connections"
	}
	var got string
	if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if got != "33" {
		t.Errorf("max_connections is %s", got)
	}
}

// small is an instance of a crowd: 128 of them share 24 GiB.
func (b bench) small(t *testing.T) {
	p, c := b.platform(t), b.config("small")
	c.Limits.Memory = 160 << 20
	c.Users = 16
	v := b.initialised(t, p, c)
	proc := b.start(t, p, c, v)
	db := b.open(t, proc)
	execute(t, db, "CREATE TABLE orders (id int PRIMARY KEY, name varchar(50))")
	for i := range c.Users {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatalf("connection %d of %d: %v", i+1, c.Users, err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO orders VALUES (%d, 'x')", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := rows(t, db); n != c.Users {
		t.Errorf("%d of %d rows", n, c.Users)
	}
}

func (b bench) secrets(t *testing.T) {
	p, c := b.platform(t), b.config("secrets")
	c.Password = "qWx7secretsecret"
	v := b.initialised(t, p, c)
	steps := b.Engine.Initialise(b.in, c)
	for _, s := range append(steps, b.Engine.Server(b.in, c)) {
		if strings.Contains(strings.Join(append(s.Command, s.Env...), " "), c.Password) {
			t.Errorf("%s has the password on its command line or in its environment", s.Name)
		}
		for _, f := range s.Files {
			if strings.Contains(f.Content, c.Password) && (f.Mode&0o077 != 0 || !strings.HasPrefix(f.Path, "${RUNTIME}/")) {
				t.Errorf("%s has the password in %s with mode %o", s.Name, f.Path, f.Mode)
			}
		}
	}
	proc := b.start(t, p, c, v)
	execute(t, b.open(t, proc), "CREATE TABLE orders (id int)")
	logs, err := p.Logs(t.Context(), time.Time{})
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, log := range logs {
		if strings.Contains(textOf(t, log), c.Password) {
			t.Errorf("%s holds the password", log.Name)
		}
	}
}

func textOf(t *testing.T, log platform.Log) string {
	t.Helper()
	r, err := log.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
