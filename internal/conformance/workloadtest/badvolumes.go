package workloadtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/test/quick"
)

// Tmpfs mounts an in-memory file system of the given size, for tests of full or vanishing
// volumes. The test's cleanup unmounts it.
func Tmpfs(t *testing.T, bytes int64) (dir string) {
	t.Helper()
	quick.Skip(t, quick.Media)
	dir = t.TempDir()
	mount(t, "plimsoll-test", dir, "tmpfs", "size="+strconv.FormatInt(bytes, 10))
	return dir
}

func mount(t *testing.T, source, dir, kind, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting file systems needs root")
	}
	if err := unix.Mount(source, dir, kind, 0, options); err != nil {
		if errors.Is(err, unix.EPERM) {
			t.Skipf("mounting file systems is not permitted here: %v", err)
		}
		t.Fatalf("mount %s at %s: %v", kind, dir, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
}

// SetReadOnly makes a mounted file system read-only.
func SetReadOnly(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatalf("remount %s: %v", dir, err)
	}
}

// Vanish takes a mounted file system away, so that its mount point is an empty
// directory.
func Vanish(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		t.Fatalf("unmount %s: %v", dir, err)
	}
}

// OnLoop mounts an ext4 file system on a loop device of so many bytes, whose image
// is in a directory. Reads of a part that is cut off the image are input/output
// errors, and writes for which there is no space in its directory.
func OnLoop(t *testing.T, in string, bytes int64) (dir, image string) {
	t.Helper()
	quick.Skip(t, quick.Media)
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	image = filepath.Join(in, "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, bytes); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-b", "4096", "-O", "^has_journal", "-E", "lazy_itable_init=0", image).CombinedOutput(); err != nil {
		t.Skipf("no mkfs.ext4: %v: %s", err, out)
	}
	out, err := exec.Command("losetup", "--find", "--show", image).CombinedOutput()
	if err != nil {
		t.Skipf("no loop device: %v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	dir = t.TempDir()
	mount(t, device, dir, "ext4", "")
	return dir, image
}

// Links replaces everything below a volume's directory by symbolic links to
// copies outside of it, which they lead to in vain.
func Links(t *testing.T, dir string, except ...string) (outside string) {
	t.Helper()
	outside = t.TempDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if contains(except, e.Name()) {
			continue
		}
		inside := filepath.Join(dir, e.Name())
		if out, err := exec.Command("cp", "-a", inside, outside).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := errors.Join(os.RemoveAll(inside), os.Symlink(filepath.Join(outside, e.Name()), inside)); err != nil {
			t.Fatal(err)
		}
	}
	return outside
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}
