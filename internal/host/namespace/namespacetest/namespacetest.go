// Package namespacetest runs tests on a machine that never had a named network
// namespace. Only tests import it.
package namespacetest

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const variable = "PLIMSOLL_TEST_NEW_MACHINE"

// OnNewMachine runs the whole test again, in a process with a mount namespace of its own
// where /run is empty, and reports whether this is that run.
func OnNewMachine(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if os.Getenv(variable) == t.Name() {
		// The mount table also lists mounts that others hide.
		for unix.Unmount("/run/netns", unix.MNT_DETACH) == nil || unix.Unmount("/run", unix.MNT_DETACH) == nil {
		}
		if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, ""); err != nil {
			t.Fatal(err)
		}
		return true
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), variable+"="+t.Name())
	again.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // made private by os/exec
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("in a mount namespace of its own: %v\n%s", err, out)
	}
	return false
}
