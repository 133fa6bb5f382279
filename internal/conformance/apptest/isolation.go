package apptest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// onThisMachine is a server whose processes can be looked at.
type onThisMachine interface{ PIDs() []int }

func isHere(p platform.Process) bool { _, here := p.(onThisMachine); return here }

const elsewhere = "its processes are another machine's"

// letsNobodyIn tries to reach a server as another user of the machine. A server without a
// password must listen on no port, and its sockets must be unreachable. A server with a
// password has a secret; its engine's own tests cover access without it.
func (b Bench) letsNobodyIn(t *testing.T) {
	p, c := b.Configured(t, "alone")
	v := b.Initialised(t, p, c)
	proc := b.Start(t, p, c, v)
	here, ok := proc.(onThisMachine)
	if !ok {
		t.Skip(elsewhere)
	}
	server := b.Engine.Server(b.In, c)
	if b.Volume == nil && (server.ListensAlone() || server.Socket != "") {
		if found := localtest.Listens(t, here.PIDs()); len(found) > 0 {
			t.Errorf("every user of the machine can connect to %v", found)
		}
	} else if server.Password == "" {
		t.Error("it listens on a port, and asks for no secret")
	}
	at := app.Surroundings{Volume: v.Path, Runtime: runtimeOf(t, proc, here)}
	sockets, _ := filepath.Glob(at.Runtime + "/*.sock") // the pattern is well-formed
	if e := proc.Endpoint(); e.Network == "unix" && !slices.Contains(sockets, e.Address) {
		sockets = append(sockets, e.Address)
	}
	for _, socket := range sockets {
		localtest.Unreachable(t, socket)
	}
	paths := append([]string{at.Runtime}, below(t, v)...)
	for _, f := range server.Files {
		paths = append(paths, at.Expand(f.Path))
	}
	localtest.Closed(t, here.PIDs(), paths...)
}

// runtimeOf is the private directory of a server: where its socket is, or where it works.
func runtimeOf(t *testing.T, proc platform.Process, here onThisMachine) string {
	t.Helper()
	if e := proc.Endpoint(); e.Network == "unix" {
		return filepath.Dir(e.Address)
	}
	home, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", here.PIDs()[0]))
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// below is a volume's directory and everything in it.
func below(t *testing.T, v storage.Volume) (paths []string) {
	t.Helper()
	if v.Path == "" {
		return nil
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
	return paths
}

// keepsToItself looks at who its processes are, at the files that they have open, and at
// what their working directories are.
func (b Bench) keepsToItself(t *testing.T) {
	p, c := b.Configured(t, "user")
	v := b.Initialised(t, p, c)
	proc := b.Start(t, p, c, v)
	here, ok := proc.(onThisMachine)
	if !ok {
		t.Skip(elsewhere)
	}
	runAs(t, p, here.PIDs(), c.Name)
	homes := []string{runtimeOf(t, proc, here)}
	if v.Path != "" {
		homes = append(homes, v.Path)
	}
	for _, pid := range here.PIDs() {
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && !within(cwd, homes) {
			t.Errorf("process %d works in %s", pid, cwd)
		}
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is well-formed
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && writes(f) && strings.HasPrefix(to, "/") && !within(to, homes) &&
				!strings.HasPrefix(to, "/dev/") && !strings.HasPrefix(to, "/memfd:") && filepath.Base(to) != c.Name+".log" {
				t.Errorf("process %d writes to %s", pid, to)
			}
		}
	}
}

func within(path string, homes []string) bool {
	return slices.ContainsFunc(homes, func(home string) bool { return path == home || strings.HasPrefix(path, home+"/") })
}

// writes reports whether an open file of a process is one that it may write
// to (proc(5): the link's own mode).
func writes(link string) bool {
	info, err := os.Lstat(link)
	return err == nil && info.Mode()&0o200 != 0
}

// runAs looks whether all of a server's processes are the user that the platform has for
// it.
func runAs(t *testing.T, p platform.Platform, pids []int, name string) {
	t.Helper()
	uid, _ := p.User(name)
	want := [4]uint64{uint64(uid), uint64(uid), uint64(uid), uint64(uid)}
	for _, pid := range pids {
		process, err := procfs.NewProc(pid)
		if err != nil {
			continue // it has ended
		}
		if status, err := process.NewStatus(); err == nil && status.UIDs != want {
			t.Errorf("process %d is of users %v, not %d", pid, status.UIDs, uid)
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

// alive reports whether a process has not ended, although nobody may have asked how yet.
func alive(pid int) bool {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	stat, err := process.Stat()
	return err == nil && stat.State != "Z"
}

func (b Bench) secrets(t *testing.T) {
	p, c := b.Configured(t, "secrets")
	const secret = "qWx7secretsecret"
	c.Password, c.AdminPassword = secret, secret+"admin"
	for n := range c.Peers {
		c.Peers[n].Password = secret
	}
	v := b.Initialised(t, p, c)
	for _, s := range append(b.Engine.Initialise(b.In, c), b.Engine.Server(b.In, c)) {
		if strings.Contains(strings.Join(append(s.Command, s.Env...), " "), secret) {
			t.Errorf("%s has a password on its command line or in its environment", s.Name)
		}
		for _, f := range s.Files {
			if strings.Contains(f.Content, secret) && (f.Mode&0o077 != 0 || !strings.HasPrefix(f.Path, "${RUNTIME}/")) {
				t.Errorf("%s has a password in %s with mode %o", s.Name, f.Path, f.Mode)
			}
		}
	}
	b.put(t, c, b.Start(t, p, c, v), 1, "kept")
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
