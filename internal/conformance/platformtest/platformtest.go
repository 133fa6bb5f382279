// Package platformtest is what every platform must pass. Its servers are
// small shell programs, so that it needs no engine.
package platformtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// Suite is one platform to try. The test program calls TaskMain first.
type Suite struct {
	Kind platform.Kind // that the platform is of
	// Platform gives a platform for the test's exclusive use. The suite closes it, and the
	// platform's own test then checks that nothing remains.
	Platform func(t *testing.T) platform.Platform
	// Volume gives an empty volume that servers on the platform may use.
	Volume func(t *testing.T, p platform.Platform, name string) storage.Volume
	// Remote reports whether servers are on hosts of their own: their process numbers mean
	// nothing here, and no other program takes their ports.
	Remote bool
}

// Run runs every test of the suite.
func Run(t *testing.T, s Suite) {
	quick.Skip(t, quick.Servers)
	s.RunServers(t)
	s.RunTasks(t)
	s.RunObserved(t)
	t.Run("golden volumes are kept", s.golden)
	t.Run("a golden volume that fails leaves nothing", s.goldenFails)
	t.Run("two runs may make one golden volume", s.goldenTwice)
	t.Run("the CPU limit holds", s.cpuLimit)
}

// RunServers runs those tests of the suite that are about servers and their volumes.
func (s Suite) RunServers(t *testing.T) {
	t.Run("a one-shot server runs to its end", s.runOnce)
	t.Run("a server runs as who the platform says", s.user)
	t.Run("a server that asks for its user's name gets one", s.userName)
	t.Run("a failing one-shot server shows its last words", s.runFails)
	t.Run("a cancelled one-shot server is ended", s.runCancelled)
	t.Run("a server gets its files, variables and readiness", s.start)
	t.Run("a server that keeps nothing needs no volume", s.withoutVolume)
	t.Run("a server that dies is reported at once with its log", s.dies)
	t.Run("a server that is never ready is given up", s.neverReady)
	t.Run("a hopeless server is given up at once", s.hopeless)
	t.Run("a cancelled start leaves nothing", s.startCancelled)
	if !s.Remote {
		t.Run("a taken port leads to another try", s.portTaken)
	}
	t.Run("one name is one server", s.sameName)
	t.Run("a name restarts after its end", s.restart)
	t.Run("stop ends descendants too", s.descendants)
	t.Run("a server that ignores the stop signal is killed", s.stubborn)
	t.Run("a server that ends by itself is noticed", s.endsItself)
	t.Run("kill is told apart from stop", s.killed)
	t.Run("many start and stop at once", s.many)
	t.Run("close stops what still runs", s.closes)
	t.Run("logs are listed", s.logs)
	t.Run("a volume is copied out", s.copied)
	s.runContainers(t)
	t.Run("the memory limit holds", s.memoryLimit)
}

func (s Suite) open(t *testing.T) platform.Platform {
	t.Helper()
	p := s.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

// openWith gives a volume too.
func (s Suite) openWith(t *testing.T, volume string) (platform.Platform, storage.Volume) {
	t.Helper()
	p := s.open(t)
	return p, s.Volume(t, p, volume)
}

// shell makes a server of a script. It is ready once ${VOLUME}/ready exists.
func shell(name, script string, v storage.Volume) app.Server {
	return app.Server{
		Name: name, Kind: "shell", Command: []string{"/bin/sh", "-c", script},
		Ready: func(context.Context, endpoint.Endpoint) error {
			_, err := os.Stat(filepath.Join(v.Path, "ready"))
			return err
		},
		StartTimeout: 5 * time.Minute, Stop: "TERM", StopTimeout: 30 * time.Second,
		Unprivileged: true,
	}
}

const waiting = `touch "${VOLUME}/ready"; exec sleep 600`

func start(t *testing.T, p platform.Platform, s app.Server, v storage.Volume, others ...platform.Mounted) platform.Process {
	t.Helper()
	proc, err := p.Start(t.Context(), s, v, others...)
	if err != nil {
		t.Fatalf("start %s: %v", s.Name, err)
	}
	return proc
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func mention(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error says nothing of %q: %v", w, err)
		}
	}
}

func (s Suite) user(t *testing.T) {
	p, v := s.openWith(t, "user")
	if err := p.Run(t.Context(), shell("user", `id -u > "${VOLUME}/uid"; id -g > "${VOLUME}/gid"; id -G > "${VOLUME}/groups"`, v), v); err != nil {
		t.Fatal(err)
	}
	uid, gid := p.User(v.Name)
	if read(t, v.Path, "uid") != strconv.Itoa(uid) || read(t, v.Path, "gid") != strconv.Itoa(gid) {
		t.Errorf("the server ran as %s:%s, not as %d:%d", read(t, v.Path, "uid"), read(t, v.Path, "gid"), uid, gid)
	}
	if groups := read(t, v.Path, "groups"); os.Geteuid() == 0 && groups != strconv.Itoa(gid) {
		t.Errorf("the server is in groups %s", groups)
	}
}

func (s Suite) userName(t *testing.T) {
	p, v := s.openWith(t, "name")
	named := shell("name", `id -un > "${VOLUME}/name"`, v) // fails without a name
	named.Named = true
	if err := p.Run(t.Context(), named, v); err != nil {
		t.Fatal(err)
	}
	if read(t, v.Path, "name") == "" {
		t.Error("the user has no name")
	}
}

func (s Suite) runOnce(t *testing.T) {
	p, v := s.openWith(t, "once")
	if err := p.Run(t.Context(), shell("once", `echo hello > "${VOLUME}/greeting"`, v), v); err != nil {
		t.Fatal(err)
	}
	if got := read(t, v.Path, "greeting"); got != "hello" {
		t.Errorf("the server wrote %q", got)
	}
}

func (s Suite) runFails(t *testing.T) {
	p, v := s.openWith(t, "fails")
	err := p.Run(t.Context(), shell("fails", `seq 100; echo "the disk is on fire" >&2; exit 3`, v), v)
	mention(t, err, "fails", "exit status 3", "the disk is on fire", "\n99\n")
	if strings.Contains(err.Error(), "\n50\n") {
		t.Errorf("the error holds the whole log: %v", err)
	}
}

func (s Suite) runCancelled(t *testing.T) {
	p, v := s.openWith(t, "cancelled")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := p.Run(ctx, shell("cancelled", "sleep 600", v), v)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err %v", err)
	}
}

func (s Suite) start(t *testing.T) {
	p, v := s.openWith(t, "start")
	server := shell("start", `cat "${RUNTIME}/secret" > "${VOLUME}/copy"
		stat -c %a "${RUNTIME}/secret" > "${VOLUME}/mode"
		id -u > "${VOLUME}/uid"
		echo "$GREETING" > "${VOLUME}/greeting"
		echo there > "${VOLUME:more}/other"
		`+waiting, v)
	server.Env = []string{"GREETING=on ${HOST}"}
	server.Files = []app.File{{Path: "${RUNTIME}/secret", Content: "port ${PORT}", Mode: 0o600}}
	server.Payload, server.User, server.Password = endpoint.With(endpoint.SQL{Database: "d of ${HOST}:${PORT}"}), "u", "p"
	address, err := p.Address(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	more := s.Volume(t, p, "more")
	if uid, gid := p.User(v.Name); !s.Remote { // a storage class does so for the mounts of one server
		if err := os.Chown(more.Path, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	proc := start(t, p, server, v, platform.Mounted{Mount: "more", Volume: more})

	target := proc.Endpoint()
	if target.Address != address {
		t.Errorf("it is at %s, and %s was reserved", target.Address, address)
	}
	if read(t, more.Path, "other") != "there" {
		t.Error("it did not find its other volume")
	}
	if endpoint.Database(target) != "d of "+address || target.User != "u" || target.Password != "p" || target.Kind != "shell" {
		t.Errorf("target %+v", target)
	}
	host, port, _ := strings.Cut(target.Address, ":")
	if s.Remote {
		host = "0.0.0.0" // it listens on all addresses of a host of its own
	}
	if target.Network != "tcp" || read(t, v.Path, "copy") != "port "+port || read(t, v.Path, "greeting") != "on "+host {
		t.Errorf("target %s %s, file %q, variable %q", target.Network, target.Address, read(t, v.Path, "copy"), read(t, v.Path, "greeting"))
	}
	if got := read(t, v.Path, "mode"); got != "600" {
		t.Errorf("the secret's mode is %s", got)
	}
	if read(t, v.Path, "uid") == "0" {
		t.Error("a server that must not be root is root")
	}
	if proc.Name() != "start" || proc.ReadyAt().Before(proc.Started()) {
		t.Errorf("name %s, started %s, ready %s", proc.Name(), proc.Started(), proc.ReadyAt())
	}
	if err := proc.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	if proc.Err() != nil {
		t.Errorf("after Stop: err %v", proc.Err())
	}
	if err := proc.Stop(t.Context()); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
}

// withoutVolume has a server whose child forgets whose it is, as programs do that
// write their title over their environment.
func (s Suite) withoutVolume(t *testing.T) {
	p := s.open(t)
	server := app.Server{
		Name: "stateless", Kind: "shell", Stop: "TERM", Unprivileged: true, Payload: endpoint.With(endpoint.Pages{Content: "${RUNTIME}/site"}), Certificate: "PEM",
		Files:   []app.File{{Path: "${RUNTIME}/site/shop/index", Content: "welcome", Mode: 0o644}},
		Command: []string{"/bin/sh", "-c", `cat "${RUNTIME}/site/shop/index"; env -i sleep 600 & echo " $!"; exec sleep 600`},
	}
	var pid int
	server.Ready = func(context.Context, endpoint.Endpoint) (err error) {
		pid, err = childOf(t, p)
		return err
	}
	for range 2 {
		proc := start(t, p, server, storage.Volume{})
		if e := proc.Endpoint(); !strings.HasSuffix(endpoint.PagesOf(e).Content, "/site") || strings.Contains(endpoint.PagesOf(e).Content, "$") || e.Certificate != "PEM" {
			t.Errorf("endpoint %+v", e)
		}
		if err := proc.Kill(); err != nil {
			t.Fatal(err)
		}
		if s.lives(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

// childOf reads the number that the last server to start wrote.
func childOf(t *testing.T, p platform.Platform) (int, error) {
	logs, err := p.Logs(t.Context(), time.Time{})
	if err != nil || len(logs) != 1 {
		return 0, fmt.Errorf("logs %v: %w", logs, err)
	}
	r, err := logs[0].Open(t.Context())
	if err != nil {
		return 0, err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	words := strings.Fields(string(text))
	if err != nil || len(words) == 0 || words[len(words)-1] == "welcome" {
		return 0, fmt.Errorf("it wrote %q: %w", text, err)
	}
	return strconv.Atoi(words[len(words)-1])
}

func (s Suite) dies(t *testing.T) {
	p, v := s.openWith(t, "dies")
	_, err := p.Start(t.Context(), shell("dies", `echo "no space left"; exit 7`, v), v)
	mention(t, err, "dies", "exit status 7", "no space left", "log")
	missing := program("missing", "/nonexistent/program")
	missing.Ready = shell("missing", "", v).Ready // without one, it is ready as soon as its place is
	_, err = p.Start(t.Context(), missing, v)
	mention(t, err, "missing", "/nonexistent/program")
}

func (s Suite) neverReady(t *testing.T) {
	p, v := s.openWith(t, "never")
	server := shell("never", `echo "still thinking"; exec sleep 600`, v)
	server.StartTimeout = 5 * time.Second // in which even a busy machine gets it to say something
	if s.Remote {
		server.StartTimeout = 20 * time.Second
	}
	_, err := p.Start(t.Context(), server, v)
	mention(t, err, "never", "not ready within "+server.StartTimeout.String(), "still thinking")
}

func (s Suite) hopeless(t *testing.T) {
	p, v := s.openWith(t, "hopeless")
	server := shell("hopeless", "exec sleep 600", v)
	server.Ready = func(context.Context, endpoint.Endpoint) error { return fmt.Errorf("wrong key: %w", app.ErrHopeless) }
	_, err := p.Start(t.Context(), server, v)
	mention(t, err, "wrong key")
}

func (s Suite) startCancelled(t *testing.T) {
	p, v := s.openWith(t, "interrupted")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := p.Start(ctx, shell("interrupted", "exec sleep 600", v), v)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err %v", err)
	}
}

// portTaken plays a server that finds its first port taken.
func (s Suite) portTaken(t *testing.T) {
	p, v := s.openWith(t, "port")
	server := shell("port", `echo ${PORT} >> "${VOLUME}/ports"
		if [ $(wc -l < "${VOLUME}/ports") = 1 ]; then echo "bind: Address already in use"; exit 1; fi
		`+waiting, v)
	start(t, p, server, v)
	tried := strings.Fields(read(t, v.Path, "ports"))
	if len(tried) != 2 {
		t.Errorf("tried ports %v", tried)
	}
}

func (s Suite) sameName(t *testing.T) {
	p, v := s.openWith(t, "twice")
	start(t, p, shell("twice", waiting, v), v)
	_, err := p.Start(t.Context(), shell("twice", waiting, v), v)
	mention(t, err, "twice", "already running")
}

func (s Suite) restart(t *testing.T) {
	p, v := s.openWith(t, "again")
	for range 3 {
		proc := start(t, p, shell("again", waiting, v), v)
		if err := proc.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// descendants starts a child that leads a session of its own, as some servers do, and a
// child whose parent has ended.
func (s Suite) descendants(t *testing.T) {
	p, v := s.openWith(t, "family")
	script := `
		setsid sh -c 'echo $$ >> "${VOLUME}/pids"; exec sleep 600' &
		sh -c 'setsid sh -c "echo \$\$ >> ${VOLUME}/pids; exec sleep 600" &'
		echo $$ >> "${VOLUME}/pids"
		while [ $(wc -l < "${VOLUME}/pids") -lt 3 ]; do sleep 0.05; done
		` + waiting
	for _, end := range []func(platform.Process) error{
		func(p platform.Process) error { return p.Stop(context.Background()) },
		platform.Process.Kill,
	} {
		_ = os.Remove(filepath.Join(v.Path, "pids"))
		_ = os.Remove(filepath.Join(v.Path, "ready"))
		proc := start(t, p, shell("family", script, v), v)
		if err := end(proc); err != nil {
			t.Fatal(err)
		}
		for _, field := range strings.Fields(read(t, v.Path, "pids")) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			if s.lives(pid) {
				t.Errorf("process %d lives on", pid)
			}
		}
	}
}

// lives reports whether a process of a server has not ended, where that can be seen.
func (s Suite) lives(pid int) bool {
	return !s.Remote && unix.Kill(pid, 0) == nil && !zombie(pid)
}

// zombie reports whether a process has ended and nobody has asked how yet.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func (s Suite) stubborn(t *testing.T) {
	p, v := s.openWith(t, "stubborn")
	server := shell("stubborn", `trap "" TERM; touch "${VOLUME}/ready"; while :; do sleep 1; done`, v)
	server.StopTimeout = 300 * time.Millisecond
	proc := start(t, p, server, v)
	mention(t, proc.Stop(t.Context()), "stubborn", "did not stop within 300ms", "killed")
	<-proc.Done()
}

func (s Suite) endsItself(t *testing.T) {
	p, v := s.openWith(t, "short")
	proc := start(t, p, shell("short", `touch "${VOLUME}/ready"; while [ ! -e "${VOLUME}/go" ]; do sleep 0.05; done; echo "out of ideas"; exit 4`, v), v)
	if err := os.WriteFile(filepath.Join(v.Path, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	mention(t, proc.Err(), "short", "exit status 4", "out of ideas")
	if err := proc.Stop(t.Context()); err != nil {
		t.Errorf("Stop after the end: %v", err)
	}
}

func (s Suite) killed(t *testing.T) {
	p, v := s.openWith(t, "killed")
	proc := start(t, p, shell("killed", waiting, v), v)
	if err := proc.Kill(); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	mention(t, proc.Err(), "killed on request")

	_ = os.Remove(filepath.Join(v.Path, "ready"))
	proc = start(t, p, shell("killed", `(while [ ! -e "${VOLUME}/go" ]; do sleep 0.05; done; kill -9 $$) & `+waiting, v), v)
	if err := os.WriteFile(filepath.Join(v.Path, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	mention(t, proc.Err(), "killed from outside")
}

func (s Suite) many(t *testing.T) {
	p := s.open(t)
	servers := 48
	if s.Remote {
		servers = 12 // each is a pod
	}
	var wait sync.WaitGroup
	addresses := make([]string, servers)
	for i := range servers {
		name := fmt.Sprintf("many-%d", i)
		v := s.Volume(t, p, name)
		wait.Go(func() {
			server := shell(name, ": ${PORT}; "+waiting, v)
			proc, err := p.Start(t.Context(), server, v)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			addresses[i] = proc.Endpoint().Address
			if i%2 == 0 {
				if err := proc.Stop(t.Context()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	wait.Wait()
}

func (s Suite) closes(t *testing.T) {
	p := s.Platform(t)
	v := s.Volume(t, p, "open")
	proc := start(t, p, shell("open", waiting, v), v)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // clean-up must not depend on it
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	if err := proc.Err(); err != nil {
		t.Errorf("closed: %v", err)
	}
}

func (s Suite) memoryLimit(t *testing.T) {
	p, v := s.openWith(t, "memory")
	if a := p.Abilities(); !a.MemoryLimits {
		noteExplains(t, a)
	}
	exhaust(t, p, greedy(v), v)
}

// greedy takes more memory than its limit, once a file asks for it.
func greedy(v storage.Volume) app.Server {
	server := shell("memory", `touch "${VOLUME}/ready"
		while [ ! -e "${VOLUME}/go" ]; do sleep 0.05; done
		head -c 300000000 /dev/zero | tail -n 1 > /dev/null || exit 1`, v)
	server.Limits.Memory = 64 << 20
	return server
}

func exhaust(t *testing.T, p platform.Platform, greedy app.Server, v storage.Volume) {
	t.Helper()
	proc := start(t, p, greedy, v)
	if err := os.WriteFile(filepath.Join(v.Path, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	mention(t, proc.Err(), "memory limit of 64 MiB", "more memory")
}

func (s Suite) cpuLimit(t *testing.T) {
	p, v := s.openWith(t, "cpu")
	if a := p.Abilities(); !a.CPULimits {
		noteExplains(t, a)
	}
	server := shell("cpu", `touch "${VOLUME}/ready"; while :; do :; done`, v)
	server.Limits.CPU = 0.1
	proc := start(t, p, server, v)
	observe(t, p, proc, func(all []result.Series) bool { return positive(Values(all, "instance", "cpu", "throttled_periods")) })
}

// noteExplains ends a test of a limit that cannot be enforced here: a reader
// of results must then be informed.
func noteExplains(t *testing.T, a platform.Abilities) {
	t.Helper()
	if len(a.Notes) == 0 {
		t.Error("a limit is not enforced and no note says so")
	}
	t.Skipf("cannot be enforced here: %v", a.Notes)
}

func program(name, path string) app.Server {
	return app.Server{Name: name, Kind: "shell", Command: []string{path}, Stop: "TERM"}
}
