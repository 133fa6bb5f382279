package local

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/namespace"
	"plimsoll/internal/host/thread"
)

// TestRuntimeBaseWithoutTmp: where /tmp cannot be written to, $TMPDIR serves, unless
// servers' users could not get there or a configuration could not name it.
func TestRuntimeBaseWithoutTmp(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a read-only /tmp")
	}
	dir, err := os.MkdirTemp("/var/tmp", "plimsoll-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, c := range []struct {
		name string
		mode os.FileMode
		want string
	}{{"open", 0o755, dir + "/open"}, {"closed", 0o700, "/var/tmp"}, {"o'hara", 0o755, "/var/tmp"}} {
		at := dir + "/" + c.name
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, c.mode); err != nil { // who cannot enter it reaches nothing below
			t.Fatal(err)
		}
		t.Setenv("TMPDIR", at)
		err := thread.Spare(func() error {
			if err := namespace.OwnMounts(); err != nil {
				return err
			}
			if err := unix.Mount("plimsoll", "/tmp", "tmpfs", unix.MS_RDONLY, ""); err != nil {
				return err
			}
			if got := runtimeBase(); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
