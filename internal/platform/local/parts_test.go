package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"plimsoll/internal/app"
	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/storage"
)

func TestMain(m *testing.M) {
	softLimitMain()
	platformtest.TaskMain()
	goleak.VerifyTestMain(m)
}

func TestExpand(t *testing.T) {
	at := app.Surroundings{Volume: "/v", Runtime: "/r", Host: "127.0.0.1", Port: 21000}
	got := at.Expand("${VOLUME}/d ${RUNTIME}/s ${HOST}:${PORT} $HOME ${OTHER}")
	if want := "/v/d /r/s 127.0.0.1:21000 $HOME ${OTHER}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFilesStayInside(t *testing.T) {
	at := app.Surroundings{Volume: t.TempDir(), Runtime: t.TempDir()}
	for path, ok := range map[string]bool{
		"${RUNTIME}/a": true, "${VOLUME}/b": true,
		"/etc/c": false, "${RUNTIME}/../d": false, "${RUNTIME}": false, "e": false,
	} {
		err := write(app.File{Path: path, Mode: 0o600}, at, owner{})
		if (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestPortsAreDistinct(t *testing.T) {
	p, seen := newPorts(), map[int]bool{}
	for range 200 {
		port, err := p.take(0)
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] || port < lowestPort || port >= lowestPort+portRange {
			t.Fatalf("port %d", port)
		}
		seen[port] = true
	}
	for port := range seen {
		p.giveBack(port)
	}
	if len(p.taken) != 0 {
		t.Errorf("%d ports are still taken", len(p.taken))
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Env{Work: t.TempDir()}); err == nil {
		t.Error("a platform without a run identifier")
	}
}

func TestLayOutRefusesAnothersDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runtime")
	if err := os.Symlink("/etc", dir); err != nil {
		t.Fatal(err)
	}
	if err := layOut(dir); err == nil {
		t.Error("a link was followed")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := layOut(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "old"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAccessible(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as another user")
	}
	const uid, gid = firstDynamic, firstDynamic
	who := owner{uid, gid, true}
	top, err := os.MkdirTemp("", "plimsoll-volume-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(top, "v")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	v := storage.Volume{Name: "v", Path: path}
	if err := who.accessible(v, "/bin/sh"); err == nil || !strings.Contains(err.Error(), "chown") {
		t.Errorf("root's volume: %v", err)
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := who.accessible(v, "/bin/sh"); err == nil || !strings.Contains(err.Error(), "chmod o+x "+top) {
		t.Errorf("a closed directory above: %v", err)
	}
	if err := os.Chmod(top, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := who.accessible(v, "/bin/sh"); err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	for _, s := range []app.Server{{Command: []string{"x"}}, {Name: "a/b", Command: []string{"x"}}, {Name: "a"}} {
		if check(s, storage.Volume{}) == nil {
			t.Errorf("accepted %+v", s)
		}
	}
	on := app.Server{Name: "a", Command: []string{"x"}, Files: []app.File{{Path: "${VOLUME}/f"}}}
	if err := check(on, storage.Volume{}); err == nil || !strings.Contains(err.Error(), "needs a volume") {
		t.Errorf("without a volume: %v", err)
	}
	if err := check(on, storage.Volume{Path: "/v"}); err != nil {
		t.Error(err)
	}
}
