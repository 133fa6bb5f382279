package apptest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"plimsoll/internal/app"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// Stateless is an engine whose servers keep nothing, and where to try it.
type Stateless struct {
	Engine   app.Engine
	Platform func(t *testing.T) platform.Platform
	// Config adds what a server of the test uses and serves.
	Config func(t *testing.T, p platform.Platform, c app.Config) app.Config
	// Ask asks the server for something as a user does.
	Ask func(t *testing.T, e endpoint.Endpoint) error
	// Least is the smallest memory limit that the engine accepts, in bytes.
	Least int64
	// Alone says that a server is one process.
	Alone bool
}

// RunStateless runs every test that such an engine must pass.
func RunStateless(t *testing.T, s Stateless) {
	in, err := s.Engine.Find(t.Context(), "", false)
	if err != nil {
		t.Fatalf("no installation to test with: %v", err)
	}
	t.Logf("%s %s, %s", in.Engine, in.Version, in.Source)
	b := stateless{s, bench{Suite: Suite{Engine: s.Engine, Platform: s.Platform}, in: in}}
	t.Run("installation is described", b.describes)
	t.Run("missing version says what to install", func(t *testing.T) { b.missingVersion(t, "0.1", "99") })
	t.Run("settings and limits are judged before a start", b.judgesConfig)
	t.Run("it needs no volume and lays none out", b.noVolume)
	t.Run("it runs as the platform's user and writes nowhere else", b.keepsToItself)
	t.Run("no other user of the machine reaches it", b.letsNobodyIn)
	t.Run("it starts in the least memory that it accepts", b.small)
	t.Run("it comes back where it was after a kill", b.comesBack)
	t.Run("nothing of it outlives its first process", b.endsAltogether)
	t.Run("a taken port leads to another try", b.portTaken)
	t.Run("a broken configuration is refused with a reason", b.broken)
	t.Run("no secret is in a log or on a command line", b.hidesSecrets)
}

type stateless struct {
	Stateless
	bench
}

// start starts a server, which is asked.
func (b stateless) start(t *testing.T, p platform.Platform, c app.Config) platform.Process {
	t.Helper()
	proc := b.bench.start(t, p, c, storage.Volume{})
	if err := b.Ask(t, proc.Endpoint()); err != nil {
		t.Fatalf("%s does not answer: %v", c.Name, err)
	}
	return proc
}

func (b stateless) configured(t *testing.T, name string) (platform.Platform, app.Config) {
	t.Helper()
	p := b.platform(t)
	return p, b.Config(t, p, b.config(name))
}

// platform resolves which of the two embedded is meant.
func (b stateless) platform(t *testing.T) platform.Platform { return b.bench.platform(t) }

func (b stateless) noVolume(t *testing.T) {
	c := b.config("plain")
	if steps := b.bench.Engine.Initialise(b.in, c); len(steps) > 0 {
		t.Errorf("it lays a volume out: %v", steps)
	}
	if n := b.bench.Engine.Overhead(); n != 0 {
		t.Errorf("it takes %d bytes of a volume", n)
	}
	for _, f := range b.bench.Engine.Server(b.in, c).Files {
		if !strings.HasPrefix(f.Path, "${RUNTIME}/") {
			t.Errorf("%s is not below ${RUNTIME}", f.Path)
		}
	}
}

// letsNobodyIn tries, as another user of the machine, to reach a server that asks for no
// password: it listens on no port, and its sockets cannot be reached. One that does ask
// has a secret; what it does without is in its own tests.
func (b stateless) letsNobodyIn(t *testing.T) {
	p, c := b.configured(t, "alone")
	server := b.bench.Engine.Server(b.in, c)
	proc := b.start(t, p, c)
	here, ok := proc.(interface{ PIDs() []int })
	if !ok {
		t.Skip("its processes are another machine's")
	}
	if server.ListensAlone() || server.Socket != "" {
		if found := localtest.Listens(t, here.PIDs()); len(found) > 0 {
			t.Errorf("every user of the machine can connect to %v", found)
		}
	} else if server.Password == "" {
		t.Error("it listens on a port, and asks for no secret")
	}
	home, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", here.PIDs()[0]))
	if err != nil {
		t.Fatal(err)
	}
	sockets, _ := filepath.Glob(home + "/*.sock") // the pattern is well-formed
	for _, socket := range sockets {
		localtest.Unreachable(t, socket)
	}
	paths := []string{home}
	for _, f := range server.Files {
		paths = append(paths, app.Surroundings{Runtime: home}.Expand(f.Path))
	}
	localtest.Closed(t, here.PIDs(), paths...)
}

// keepsToItself looks at the files that its processes have open, and at what their
// working directories are.
func (b stateless) keepsToItself(t *testing.T) {
	p, c := b.configured(t, "user")
	proc := b.start(t, p, c)
	runAs(t, p, proc, c.Name)
	here, ok := proc.(interface{ PIDs() []int })
	if !ok {
		return // its processes are another machine's
	}
	pids := here.PIDs()
	home, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pids[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && cwd != home && !strings.HasPrefix(cwd, home+"/") {
			t.Errorf("process %d works in %s", pid, cwd)
		}
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is well-formed
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && writes(f) && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, home+"/") &&
				!strings.HasPrefix(to, "/dev/") && !strings.HasPrefix(to, "/memfd:") && filepath.Base(to) != c.Name+".log" {
				t.Errorf("process %d writes to %s", pid, to)
			}
		}
	}
}

// writes says whether an open file of a process is one that it may write to (proc(5):
// the link's own mode).
func writes(link string) bool {
	info, err := os.Lstat(link)
	return err == nil && info.Mode()&0o200 != 0
}

func (b stateless) comesBack(t *testing.T) {
	p, c := b.configured(t, "again")
	first := b.start(t, p, c)
	at := first.Endpoint()
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := b.Ask(t, at); err == nil {
		t.Error("it answers although it was killed")
	}
	second := b.start(t, p, c)
	if now := second.Endpoint(); now != at {
		t.Errorf("it came back as %+v, and was %+v", now, at)
	}
	if err := second.Stop(t.Context()); err != nil || second.Err() != nil {
		t.Errorf("stop: %v, %v", err, second.Err())
	}
}

func (b stateless) small(t *testing.T) {
	p, c := b.configured(t, "small")
	c.Limits.Memory = b.Least
	found, err := b.bench.Engine.(app.ConfigChecker).CheckConfig(t.Context(), b.in, c)
	if err != nil || len(found) > 0 {
		t.Fatalf("refused: %v, %v", found, err)
	}
	b.start(t, p, c)
	c.Limits.Memory--
	if found, err := b.bench.Engine.(app.ConfigChecker).CheckConfig(t.Context(), b.in, c); err != nil || len(found) != 1 {
		t.Errorf("one byte less is accepted: %v, %v", found, err)
	}
}

// endsAltogether kills the first process alone, as the kernel may.
func (b stateless) endsAltogether(t *testing.T) {
	p, c := b.configured(t, "orphans")
	proc := b.start(t, p, c)
	here, ok := proc.(interface{ PIDs() []int })
	if !ok {
		return // its processes are another machine's
	}
	pids := here.PIDs()
	if b.Alone != (len(pids) == 1) {
		t.Fatalf("its processes are %v", pids)
	}
	if err := unix.Kill(firstOf(t, pids), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-proc.Done()
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

// firstOf is the process of a server that is no child of another of its own.
func firstOf(t *testing.T, pids []int) int {
	t.Helper()
	for _, pid := range pids {
		process, err := procfs.NewProc(pid)
		if err != nil {
			continue
		}
		if stat, err := process.Stat(); err == nil && !slices.Contains(pids, stat.PPID) {
			return pid
		}
	}
	t.Fatalf("none of %v is the first", pids)
	return 0
}

// alive says that a process has not ended, although nobody may have asked how yet.
func alive(pid int) bool {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	stat, err := process.Stat()
	return err == nil && stat.State != "Z"
}

// portTaken has somebody listen where the server is first told to: not the platform
// finds that out, but the server, in words that the platform knows.
func (b stateless) portTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p, c := b.configured(t, "port")
	mark := filepath.Join(localVolume(t, p, c.Name), "tried")
	server := b.bench.Engine.Server(b.in, c)
	if !server.Mentions("${PORT}") {
		t.Skip("it listens on no port of the machine")
	}
	if _, own := b.bench.Engine.(app.Own); own { // which the shell is not
		server.Command[0] = localtest.CopyProgram(t)
	}
	server.Command = append([]string{"/bin/sh", "-c", fmt.Sprintf(`
		if [ ! -e %[1]s ]; then
			touch %[1]s
			sed -i "s/:${PORT}/:%[2]d/" "%[3]s"
		fi
		exec "$0" "$@"`, mark, taken.Addr().(*net.TCPAddr).Port, server.Files[0].Path)}, server.Command...)
	proc, err := p.Start(t.Context(), server, storage.Volume{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
	if err := b.Ask(t, proc.Endpoint()); err != nil {
		t.Error(err)
	}
}

// localVolume is a directory in which a server of the platform may write.
func localVolume(t *testing.T, p platform.Platform, server string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "plimsoll-mark-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	uid, gid := p.User(server)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return dir
}

// broken has a setting that only the server itself can judge.
func (b stateless) broken(t *testing.T) {
	p, c := b.configured(t, "broken")
	server := b.bench.Engine.Server(b.in, c)
	server.Files[0].Content += "\nthis is { no configuration\n"
	if _, err := p.Start(t.Context(), server, storage.Volume{}); err == nil || !strings.Contains(err.Error(), "its log broken.log says:") {
		t.Errorf("the error does not help: %v", err)
	}
}

func (b stateless) hidesSecrets(t *testing.T) {
	p, c := b.configured(t, "secrets")
	const secret = "qWx7secretsecret"
	c.Password, c.AdminPassword = secret, secret+"admin"
	for n := range c.Peers {
		c.Peers[n].Password = secret
	}
	server := b.bench.Engine.Server(b.in, c)
	if strings.Contains(strings.Join(append(server.Command, server.Env...), " "), secret) {
		t.Error("a password is on its command line or in its environment")
	}
	for _, f := range server.Files {
		if strings.Contains(f.Content, secret) && f.Mode&0o077 != 0 {
			t.Errorf("a password is in %s with mode %o", f.Path, f.Mode)
		}
	}
	b.start(t, p, c)
	logs, err := p.Logs(t.Context(), time.Time{})
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, log := range logs {
		if strings.Contains(textOf(t, log), secret) {
			t.Errorf("%s holds a password", log.Name)
		}
	}
}

// RefusesInstallations has an engine choose a version among installations of which none
// will do. Its refusals say what they are listed under.
func RefusesInstallations(t *testing.T, choose func(found []app.Installation, version string) (app.Installation, error), version string, found map[string][]app.Installation) {
	t.Helper()
	for want, all := range found {
		if _, err := choose(all, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the refusal says nothing of %q: %v", want, err)
		}
	}
}
