package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// AsRoot runs this program, which needs a link of its own and is a plain user's, as the root of a user namespace (user_namespaces(7)). It
// ends with this process.
func AsRoot(ctx context.Context, out io.Writer) error {
	runtime.LockOSThread() // whose end is the signal for the other
	defer runtime.UnlockOSThread()
	again := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...)
	again.Cancel = func() error { return again.Process.Signal(syscall.SIGTERM) }
	again.Stdout, again.Stderr = out, out
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	err := again.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return fmt.Errorf("make a user namespace, which a link of the server's own needs: %w; "+
			"allow it (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or set path to direct", err)
	}
	return err
}
