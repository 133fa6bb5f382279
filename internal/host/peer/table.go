package peer

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// inTables finds the user of the socket with these ends in the kernel's tables of TCP
// sockets, for the network namespace of this thread.
func inTables(e ends) (uid int, err error) {
	for _, name := range []string{"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"} {
		table, err := os.ReadFile(name)
		if err != nil {
			continue // a machine without IPv6
		}
		if uid, found := userIn(string(table), e); found {
			return uid, nil
		}
	}
	return 0, errGone
}

// userIn reads a table (proc(5): sl local_address rem_address st queues tr retrnsmt uid
// timeout inode). A socket without an inode has been closed by its process: its user is not
// known any more.
func userIn(table string, e ends) (uid int, found bool) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[9] == "0" || address(f[1]) != e.local || address(f[2]) != e.remote {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		return uid, err == nil
	}
	return 0, false
}

// address parses an address of a table: hexadecimal words of 32 bits in this machine's byte
// order, and the port. It returns the zero value for anything else.
func address(text string) netip.AddrPort {
	host, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(host)
	if err != nil || len(b)%4 != 0 {
		return netip.AddrPort{}
	}
	for i := 0; i < len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	ip, ok := netip.AddrFromSlice(b)
	number, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}
	}
	return plain(netip.AddrPortFrom(ip, uint16(number)))
}
