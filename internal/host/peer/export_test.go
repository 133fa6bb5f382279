package peer

import "net"

// Address reads an address of the kernel's tables.
var Address = address

// InTables is the user of a connection of TCP as those tables have it.
func InTables(conn net.Conn) (uid int, err error) {
	here := ends{plain(conn.LocalAddr().(*net.TCPAddr).AddrPort()), plain(conn.RemoteAddr().(*net.TCPAddr).AddrPort())}
	return inTables(here.other())
}

// Taken is how many places are.
func (g *Guard) Taken() (own, strangers int) { return len(g.own), g.strangers.Len() }
