// Package loopback says whose a connection over this machine's loopback is, which every
// user of the machine can make.
package loopback

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// OfThisUser reports whether a connection over this machine's loopback was made by this
// process's user or by root. Every user of the machine can connect to a port, and what it
// leads to may ask nobody for a password.
func OfThisUser(conn net.Conn) bool {
	from, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return false
	}
	to, ok := conn.LocalAddr().(*net.TCPAddr)
	if !ok {
		return false
	}
	for _, name := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		table, err := os.ReadFile(name)
		if err != nil {
			continue // a machine without IPv6
		}
		if uid, found := makerOf(string(table), from.Port, to.Port); found {
			return uid == os.Geteuid() || uid == 0
		}
	}
	return false
}

// makerOf finds the user of the socket with a local and a remote port in the kernel's
// table of TCP sockets (proc(5): sl local_address rem_address st queues tr retrnsmt uid).
func makerOf(table string, local, remote int) (uid int, found bool) {
	own, other := fmt.Sprintf(":%04X", local), fmt.Sprintf(":%04X", remote)
	for line := range strings.Lines(table) {
		const established = "01"
		f := strings.Fields(line)
		if len(f) > 7 && f[3] == established && strings.HasSuffix(f[1], own) && strings.HasSuffix(f[2], other) {
			uid, err := strconv.Atoi(f[7])
			return uid, err == nil
		}
	}
	return 0, false
}
