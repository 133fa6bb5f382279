package nfs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
)

// Types of the two clients' mounts, as /proc/self/mountinfo has them.
const (
	kernelFileSystem = "nfs"
	ownFileSystem    = "plimsoll-nfs"
)

// KernelClient reports whether this machine's kernel has an NFS client, and
// loads it if it is a module. Kernels before 5.2 cannot be asked.
func KernelClient() bool {
	fd, err := unix.Fsopen(kernelFileSystem, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return false
	}
	_ = unix.Close(fd) // nothing was configured
	return true
}

// FileSystem is the type of mounts by the kernel's client or by ours.
func FileSystem(kernel bool) string {
	if kernel {
		return kernelFileSystem
	}
	return "fuse." + ownFileSystem
}

// mountByKernel mounts an export with the kernel's client, in the network of
// this process, and stays until the mount is gone.
func mountByKernel(ctx context.Context, c Config) error {
	source, options, err := c.kernelOptions()
	if err != nil {
		return err
	}
	if err := unix.Mount(source, c.Path, kernelFileSystem, unix.MS_NODEV|unix.MS_NOSUID, options); err != nil {
		return fmt.Errorf("mount %s at %s with the kernel's NFS client: %w", source, c.Path, explain(err))
	}
	// A server that is gone must not hold up the end: nothing is written back.
	stop := context.AfterFunc(ctx, func() { _ = unix.Unmount(c.Path, unix.MNT_FORCE|unix.MNT_DETACH) })
	defer stop()
	return awaitUnmount(c.Path)
}

func explain(err error) error {
	switch {
	case errors.Is(err, unix.ENODEV):
		return fmt.Errorf("%w: this kernel has no NFS client", err)
	case errors.Is(err, unix.EPROTONOSUPPORT):
		return fmt.Errorf("%w: this kernel's NFS client does not support version 3; run: modprobe nfsv3", err)
	}
	return err
}

// kernelOptions are options for mount(2), as nfs(5) describes them. The kernel does not
// look up names, and given the ports it asks no port mapper. Locks stay on this machine.
// Calls are repeated until they are answered, as for any data that must not get lost.
func (c Config) kernelOptions() (source, options string, err error) {
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return "", "", fmt.Errorf("address of the NFS service: %w", err)
	}
	mountHost, mountPort, err := net.SplitHostPort(c.MountAddress)
	if err != nil {
		return "", "", fmt.Errorf("address of the Mount service: %w", err)
	}
	if strings.Contains(host, ":") {
		return "", "", fmt.Errorf("address of the NFS service: %s is not one of IP version 4", host)
	}
	return host + ":" + c.Export, strings.Join([]string{
		"vers=3", "proto=tcp", "addr=" + host, "port=" + port,
		"mountproto=tcp", "mountaddr=" + mountHost, "mountport=" + mountPort,
		"hard", "nolock", "sec=sys",
	}, ","), nil
}

// awaitUnmount waits until nothing is mounted at path. The kernel tells readers
// of the mount table when it changes (proc(5)).
func awaitUnmount(path string) error {
	table, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	defer table.Close()
	for slices.Contains(journal.MountPoints(path), path) {
		change := []unix.PollFd{{Fd: int32(table.Fd()), Events: unix.POLLPRI}}
		const second = 1000 // ms, should a change come between the look and the wait
		if _, err := unix.Poll(change, second); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("watch the mount table: %w", err)
		}
	}
	return nil
}
