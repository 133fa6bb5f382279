package oltp_test

import (
	"errors"
	"os"
	"path/filepath"
	"plimsoll/internal/describe/errorclass"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app/postgres"
	"plimsoll/internal/workload/oltp"
)

// enough rows to fill the disk of the test several times.
const enough = 200_000

// TestOutOfSpace inserts until the disk is full: the error says so, the session
// goes on, and everything acknowledged is there.
func TestOutOfSpace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	p := parameters(func(p *oltp.Parameters) { p.Mode, p.TableSize = "insert", 1000 })
	i := start(t, postgres.Engine{}, p)
	place := smallDisk(t, i.Volume())
	execute(t, open(t, i.Admin()), "create tablespace small location '"+place+"'", "alter database sbtest set default_tablespace = small",
		"grant create on tablespace small to public")
	prepare(t, i, p)
	leave(t, place, 256<<10)
	s, err := oltp.Workload{}.Open(t.Context(), i.Target(), p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k := &recorder{counts: map[int]int{}}
	for err = nil; err == nil && len(k.receipts) < enough; {
		err = s.Do(t.Context(), k)
	}
	var classed interface{ ErrorClass() string }
	if !errors.As(err, &classed) || classed.ErrorClass() != errorclass.OutOfSpace || s.Broken() {
		t.Errorf("after %d inserts: %v; the session is broken: %v", len(k.receipts), err, s.Broken())
	}
	for _, wrong := range audit(t, i.Target(), p, k.receipts) {
		t.Error(wrong)
	}
	t.Logf("%d inserts, then: %v", len(k.receipts), err)
}

// smallDisk mounts a file system of 8 MiB for the server that owns the volume.
func smallDisk(t *testing.T, volume string) string {
	t.Helper()
	point, err := os.MkdirTemp("", "plimsoll-small-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(point); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mount("none", point, "tmpfs", 0, "size=8m,mode=755"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(point, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	info, err := os.Stat(volume)
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	place := filepath.Join(point, "tables")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(point, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(place, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	return place
}

// leave takes all room of a file system but so many bytes.
func leave(t *testing.T, place string, bytes int64) {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Statfs(place, &fs); err != nil {
		t.Fatal(err)
	}
	taken := int64(fs.Bavail)*fs.Bsize - bytes
	if err := os.WriteFile(filepath.Join(filepath.Dir(place), "taken"), make([]byte, max(0, taken)), 0o600); err != nil {
		t.Fatal(err)
	}
}
