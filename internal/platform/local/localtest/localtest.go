// Package localtest gives tests of other packages a local platform and
// volumes for it.
package localtest

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// Env is an environment of a run of its own. When the test ends, nothing of
// the run may be left on the machine.
func Env(t *testing.T) local.Env {
	t.Helper()
	quick.Skip(t, quick.Servers)
	homes.Store(t, newHome(t))
	t.Cleanup(func() { homes.Delete(t) })
	runID := "t" + strconv.FormatInt(time.Now().UnixNano(), 36)
	work, began := t.TempDir(), time.Now()
	j, err := journal.Open(filepath.Join(work, "journal.jsonl"), runID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		j.Close()
		left, err := journal.Read(filepath.Join(work, "journal.jsonl"))
		if err != nil || len(left.Objects) > 0 {
			t.Errorf("the journal still holds %v, %v", left.Objects, err)
		}
		if found := journal.Leftovers(runID); len(found) > 0 {
			t.Errorf("left on the machine: %v", found)
		}
		if lines := leftMemory(t, began); len(lines) > 0 {
			t.Errorf("shared memory is left: %q", lines)
		}
	})
	cache := Directory(t, "golden")
	if err := os.Chmod(cache, 0o711); err != nil {
		t.Fatal(err)
	}
	return local.Env{RunID: runID, Work: work, Cache: cache, Journal: j, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

// Platform gives a platform for a test, which must close it.
func Platform(t *testing.T) platform.Platform {
	t.Helper()
	p, err := local.New(Env(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Volume gives an empty directory that belongs to who servers of the platform
// run as.
func Volume(t *testing.T, p platform.Platform, name string) storage.Volume {
	t.Helper()
	v := storage.Volume{Name: name, Path: Directory(t, name)}
	uid, gid := p.User(name)
	if err := os.Chown(v.Path, uid, gid); err != nil {
		t.Fatal(err)
	}
	return v
}

// InMemory mounts a file system in memory, of so many bytes, over a volume.
func InMemory(t *testing.T, p platform.Platform, v storage.Volume, bytes int64) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting file systems needs root")
	}
	if err := unix.Mount("plimsoll-test", v.Path, "tmpfs", 0, fmt.Sprintf("mode=0700,size=%d", bytes)); err != nil {
		t.Skipf("mount a file system in memory: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(v.Path, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", v.Path, err)
		}
	})
	uid, gid := p.User(v.Name)
	if err := os.Chown(v.Path, uid, gid); err != nil {
		t.Fatal(err)
	}
}

// homes are the directories of volumes, by the tests that have an environment. They are removed
// when the platform is closed and nothing writes there any more.
var homes sync.Map

// Directory gives an empty directory that other users can reach.
func Directory(t *testing.T, name string) string {
	t.Helper()
	home, ok := homes.Load(t)
	if !ok {
		home = newHome(t)
	}
	path := filepath.Join(home.(string), name)
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) { // a second one of this name
		path = filepath.Join(newHome(t), name)
		err = os.Mkdir(path, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// newHome makes a directory that ends with the test. It is not t.TempDir: the directory above
// that is closed to other users.
func newHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "plimsoll-volume-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the volumes of the test: %v", err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// leftMemory lists the shared memory that servers of this test left: System V segments and
// files. Servers of other tests run as the same users. When one of them is killed, its
// memory too has no user until the clean-up; only memory that persists was left.
func leftMemory(t *testing.T, since time.Time) []string {
	t.Helper()
	orphaned := func() []string { return append(orphanedSegments(t, since), memoryFiles(t, since)...) }
	lines := orphaned()
	for deadline := time.Now().Add(time.Minute); len(lines) > 0 && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
		now := orphaned()
		lines = slices.DeleteFunc(lines, func(l string) bool { return !slices.Contains(now, l) })
	}
	return lines
}

// orphanedSegments lists the shared memory that is used by none now: made since
// the test began, by a user of servers.
func orphanedSegments(t *testing.T, since time.Time) []string {
	t.Helper()
	table, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line) // proc(5): ... 6 attached, 7 uid, ... 13 changed
		if len(f) < 14 || f[6] != "0" || !ofServers(f[7]) {
			continue
		}
		if changed, err := strconv.ParseInt(f[13], 10, 64); err == nil && changed >= since.Unix() {
			lines = append(lines, line)
		}
	}
	return lines
}

// memoryFiles lists the files of shm_open(3) that users of servers made since the test began. A plain
// user's other programs make such files too, and nothing says which of them a server made.
func memoryFiles(t *testing.T, since time.Time) (paths []string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	entries, err := os.ReadDir("/dev/shm")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since) {
			continue
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; ofServers(strconv.Itoa(int(owner))) {
			paths = append(paths, filepath.Join("/dev/shm", e.Name()))
		}
	}
	return paths
}

// ofServers reports whether servers may run as the user: one of the dynamic
// ones, or this one.
func ofServers(uid string) bool {
	id, err := strconv.Atoi(uid)
	if os.Geteuid() == 0 {
		return err == nil && id >= 61184 && id <= 65534
	}
	return err == nil && id == os.Geteuid()
}
