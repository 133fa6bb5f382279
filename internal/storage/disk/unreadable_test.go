package disk

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The error of mkfs.btrfs names its own device, which is not the faulty one.
func TestALoopDeviceOfALostFileSystemIsNamed(t *testing.T) {
	lost := lostFileSystem(t)
	got := unreadable(map[string]string{"/dev/loop3": t.TempDir(), "/dev/loop5": filepath.Join(lost, "disk"), "/dev/loop7": "/nowhere"})
	for _, want := range []string{"/dev/loop5 lies on " + lost, "losetup -d /dev/loop5"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	if got := unreadable(map[string]string{"/dev/loop3": t.TempDir()}); got != "" {
		t.Errorf("nothing is lost, and it says %q", got)
	}
}

// lostFileSystem is a FUSE mount that nobody serves any more.
func lostFileSystem(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	err = unix.Mount("plimsoll-lost", dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd))
	_ = unix.Close(fd)
	if err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
