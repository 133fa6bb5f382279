// Package localtest gives tests of other packages a local platform and
// volumes for it.
package localtest

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/storage"
)

// Env is an environment of a run of its own. When the test ends, nothing of
// the run may be left on the machine.
func Env(t *testing.T) local.Env {
	t.Helper()
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
		if lines := leftSegments(t, began); len(lines) > 0 {
			t.Errorf("shared memory left in the kernel: %q", lines)
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

// Directory gives an empty directory that other users can reach.
func Directory(t *testing.T, name string) string {
	t.Helper()
	// Not t.TempDir: the directory above it is closed to other users.
	dir, err := os.MkdirTemp("", "plimsoll-volume-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// leftSegments lists the System V shared memory that servers of this test left.
// Servers of other tests run as the same users: between the end of one that was
// killed and its clean-up, its memory is used by none either. What is left stays.
func leftSegments(t *testing.T, since time.Time) []string {
	t.Helper()
	lines := orphanedSegments(t, since)
	for deadline := time.Now().Add(time.Minute); len(lines) > 0 && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
		now := orphanedSegments(t, since)
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

// ofServers reports whether servers may run as the user: one of the dynamic
// ones, or this one.
func ofServers(uid string) bool {
	id, err := strconv.Atoi(uid)
	if os.Geteuid() == 0 {
		return err == nil && id >= 61184 && id <= 65534
	}
	return err == nil && id == os.Geteuid()
}
