package localtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"plimsoll/internal/host/thread"
)

// another is a user of the machine whom nothing of a run belongs to.
const another = 65533

// AsOther does something on a thread that has become another user of the machine, who
// has no rights. It skips the test for whoever may not become one.
func AsOther(t *testing.T, do func() error) error {
	t.Helper()
	return as(t, another, another, nil, do)
}

// AsProcess does something on a thread that has become the user of a process, with its
// groups: what whoever broke into it could do.
func AsProcess(t *testing.T, pid int, do func() error) error {
	t.Helper()
	process, err := procfs.NewProc(pid)
	if err != nil {
		t.Fatal(err)
	}
	status, err := process.NewStatus()
	if err != nil {
		t.Fatal(err)
	}
	return as(t, int(status.UIDs[0]), int(status.GIDs[0]), groupsOf(t, pid), do)
}

// groupsOf are the supplementary groups of a process (proc(5)).
func groupsOf(t *testing.T, pid int) (groups []uint32) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if list, ok := strings.CutPrefix(line, "Groups:"); ok {
			for _, field := range strings.Fields(list) {
				id, err := strconv.ParseUint(field, 10, 32)
				if err != nil {
					t.Fatal(err)
				}
				groups = append(groups, uint32(id))
			}
		}
	}
	return groups
}

func as(t *testing.T, uid, gid int, groups []uint32, do func() error) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can try what another user can do")
	}
	return thread.Spare(func() error {
		// Of the thread alone; package unix would change all of the process.
		list := append(groups, 0)
		_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&list[0])), 0)
		for _, call := range [][2]uintptr{{unix.SYS_SETRESGID, uintptr(gid)}, {unix.SYS_SETRESUID, uintptr(uid)}} {
			if errno == 0 {
				_, _, errno = unix.RawSyscall(call[0], call[1], call[1], call[1])
			}
		}
		if errno != 0 {
			return fmt.Errorf("become another user: %w", errno)
		}
		return do()
	})
}

// Listens gives the addresses on which processes take TCP connections of this machine.
func Listens(t *testing.T, pids []int) (addresses []string) {
	t.Helper()
	sockets := map[string]bool{}
	for _, pid := range pids {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		entries, _ := os.ReadDir(dir) // it may have ended
		for _, e := range entries {
			if to, err := os.Readlink(dir + "/" + e.Name()); err == nil {
				sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
			}
		}
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue // a machine without IPv6
		}
		for line := range strings.Lines(string(text)) {
			const listening = "0A" // proc(5): sl local remote state ... inode is the tenth
			if f := strings.Fields(line); len(f) > 9 && f[3] == listening && sockets[f[9]] {
				addresses = append(addresses, f[1])
			}
		}
	}
	return addresses
}

// Closed checks that another user of the machine gets nowhere: he opens none of the files
// and directories, connects to none of the sockets, and signals none of the processes.
func Closed(t *testing.T, pids []int, paths ...string) {
	t.Helper()
	err := AsOther(t, func() (err error) {
		for _, pid := range pids {
			if killErr := unix.Kill(pid, 0); killErr == nil {
				err = errors.Join(err, fmt.Errorf("he may signal process %d", pid))
			}
		}
		for _, path := range paths {
			for _, how := range []int{os.O_RDONLY, os.O_WRONLY} {
				if f, openErr := os.OpenFile(path, how, 0); openErr == nil {
					f.Close()
					err = errors.Join(err, fmt.Errorf("he opens %s", path))
				}
			}
			if conn, dialErr := net.Dial("unix", path); dialErr == nil {
				conn.Close()
				err = errors.Join(err, fmt.Errorf("he connects to %s", path))
			}
		}
		return err
	})
	if err != nil {
		t.Errorf("another user: %v", err)
	}
}

// Unreachable checks that another user of the machine cannot connect to a socket.
func Unreachable(t *testing.T, socket string) {
	t.Helper()
	err := AsOther(t, func() error {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
			return fmt.Errorf("another user was let in")
		}
		if !strings.Contains(err.Error(), "permission denied") {
			return err
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", socket, err)
	}
}
