package localtest

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/thread"
)

// another is a user of the machine whom nothing of a run belongs to.
const another = 65533

// AsOther does something on a thread that has become another user of the machine, who
// has no rights. It skips the test for whoever may not become one.
func AsOther(t *testing.T, do func() error) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can try what another user can do")
	}
	return thread.Spare(func() error {
		// Of the thread alone; package unix would change all of the process.
		for _, call := range [][4]uintptr{{unix.SYS_SETGROUPS}, {unix.SYS_SETRESGID, another, another, another}, {unix.SYS_SETRESUID, another, another, another}} {
			if _, _, errno := unix.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
				return fmt.Errorf("become another user: %w", errno)
			}
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
