// Package peer finds the user of this machine who has the other end of a connection, and
// reserves a listener's capacity for its own user.
//
// Every user of the machine can connect to a port of its loopback, and the service behind
// it may not ask for a password.
package peer

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// errGone means that nobody has the other end of a connection any more, or nobody on this
// machine.
var errGone = errors.New("no process of this machine has the other end of the connection")

// User is the user who made the socket at the other end of a connection over a unix socket or
// the loopback of this process's network namespace.
func User(conn net.Conn) (uid int, err error) {
	switch c := conn.(type) {
	case *net.UnixConn:
		return userOfUnix(c)
	case *net.TCPConn:
		return userOfTCP(c)
	}
	return 0, fmt.Errorf("ask whose a connection is: it is a %T", conn)
}

// OfThisUser reports whether a connection was made by this process's user or by root, who may
// do all that this user may.
func OfThisUser(conn net.Conn) bool {
	uid, err := User(conn)
	return err == nil && (uid == os.Geteuid() || uid == 0)
}

// userOfUnix asks who connected (unix(7), SO_PEERCRED).
func userOfUnix(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var who *unix.Ucred
	failed := raw.Control(func(fd uintptr) { who, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(failed, err); err != nil {
		return 0, fmt.Errorf("ask whose a connection is: %w", err)
	}
	return int(who.Uid), nil
}

// ends are the two ends of a connection, as one of them sees it.
type ends struct{ local, remote netip.AddrPort }

// other is how the other end sees it.
func (e ends) other() ends { return ends{e.remote, e.local} }

// userOfTCP finds the socket with this pair of addresses and ports, seen from its own side:
// many connections may share one port.
func userOfTCP(conn *net.TCPConn) (uid int, err error) {
	local, ok := conn.LocalAddr().(*net.TCPAddr)
	remote, also := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || !also {
		return 0, errGone
	}
	here := ends{plain(local.AddrPort()), plain(remote.AddrPort())}
	uid, err = ask(here.other())
	if !errors.Is(err, unix.ENOENT) {
		return uid, err
	}
	if _, err := ask(here); err == nil { // the kernel knows this end, so the other has gone
		return 0, errGone
	}
	return inTables(here.other()) // a kernel without the questions of ask
}

// plain is an address in the one form that is compared: without a zone, and an IPv4 address
// as such where a socket of IPv6 has it.
func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
