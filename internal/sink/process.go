package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"plimsoll/internal/host/thread"
)

// Main runs a sink until it is stopped. A plain user gets a link of his own in a
// user namespace, where he may make network namespaces; for that the program starts
// itself again.
func Main(ctx context.Context, c Config, out io.Writer) error {
	if c.Link.Path != Direct && os.Geteuid() != 0 {
		return asRoot(ctx, out)
	}
	thread.Settings{Threads: mostThreads + 2, Places: mostThreads}.Use() // threads for the listeners, too
	return Serve(ctx, c, out, func(address string) {
		if c.Socket == "" {
			fmt.Fprintf(out, "streams come in at %s\n", address)
		}
	})
}

// mostThreads bounds how many streams have a thread each.
const mostThreads = 64

// asRoot runs this program as the root of a user namespace (user_namespaces(7)). It
// ends with this process.
func asRoot(ctx context.Context, out io.Writer) error {
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
		return fmt.Errorf("make a user namespace, which a link of the sink's own needs: %w; "+
			"allow it (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or set path to direct", err)
	}
	return err
}
