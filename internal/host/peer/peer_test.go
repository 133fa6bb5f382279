package peer_test

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/platform/local/localtest"
)

// listen listens until the end of the test.
func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// dial connects to a listener, from an address whose port others may listen on where one is
// given; the connection lasts until the end of the test.
func dial(t *testing.T, l net.Listener, from string) (conn net.Conn, err error) {
	d := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		failed := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1) })
		if failed != nil {
			return failed
		}
		return err
	}}
	if from != "" {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.MustParseAddrPort(from))
	}
	if conn, err = d.DialContext(t.Context(), l.Addr().Network(), l.Addr().String()); err == nil {
		t.Cleanup(func() { conn.Close() })
	}
	return conn, err
}

// accepted is the listener's end of the newest connection.
func accepted(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// ways are those in which the user of a connection is found.
var ways = map[string]func(net.Conn) (int, error){
	"asked": peer.User, "in the tables": peer.InTables,
}

// A connection is its maker's, over each kind of address, also after the maker has said that
// nothing more will come from there.
func TestAConnectionIsItsUsers(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0", "unix"} {
		network, address := "tcp", at
		if at == "unix" {
			network, address = "unix", filepath.Join(t.TempDir(), "s")
		}
		l, err := net.Listen(network, address)
		if err != nil && at != "127.0.0.1:0" && at != "unix" {
			t.Logf("%s: %v", at, err) // a machine without IPv6
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		to := l
		if at == "[::]:0" { // IPv4 at a socket of IPv6
			to = mapped{l}
		}
		made, err := dial(t, to, "")
		if err != nil {
			t.Fatal(err)
		}
		conn := accepted(t, l)
		if !peer.OfThisUser(conn) {
			t.Errorf("%s: its own user was refused", at)
		}
		if network != "tcp" {
			continue
		}
		if err := made.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		for way, of := range ways {
			if uid, err := of(conn); err != nil || uid != os.Geteuid() {
				t.Errorf("%s, %s: user %d, %v", at, way, uid, err)
			}
		}
	}
}

// mapped is a listener of all addresses as IPv4 reaches it.
type mapped struct{ net.Listener }

func (m mapped) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: m.Listener.Addr().(*net.TCPAddr).Port}
}

// Another user is refused, although he uses the very port that the listener has, at another
// address of the loopback: both ends of his connection then have the ports of one that the
// listener's user made.
func TestAnotherUserIsRefused(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"", "127.0.0.2:" + port, "127.0.0.3:0"} {
		if err := localtest.AsOther(t, func() error { _, err := dial(t, l, from); return err }); err != nil {
			t.Fatal(err)
		}
		conn := accepted(t, l)
		if peer.OfThisUser(conn) {
			t.Errorf("another user was let in from %s", conn.RemoteAddr())
		}
		for way, of := range ways {
			if uid, err := of(conn); err != nil || uid == os.Geteuid() {
				t.Errorf("from %s, %s: user %d, %v", conn.RemoteAddr(), way, uid, err)
			}
		}
	}
	// The same from the user's own side is his.
	if _, err := dial(t, l, "127.0.0.4:"+port); err != nil {
		t.Fatal(err)
	}
	if !peer.OfThisUser(accepted(t, l)) {
		t.Error("its own user was refused at the listener's port")
	}
}

// Whose a connection was that its maker has closed is not known: the kernel has root for those.
func TestAConnectionWithoutAMakerIsNobodys(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	made, err := dial(t, l, "")
	if err != nil {
		t.Fatal(err)
	}
	conn := accepted(t, l)
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	for way, of := range ways {
		if uid, err := of(conn); err == nil {
			t.Errorf("%s: user %d", way, uid)
		}
	}
}

// Addresses in the kernel's tables, on a little-endian machine.
func TestAddressesOfTables(t *testing.T) {
	for text, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"0000000000000000FFFF00000100007F:0050": "127.0.0.1:80",
		"00000000000000000000000001000000:0016": "[::1]:22",
	} {
		if got := peer.Address(text); got != netip.MustParseAddrPort(want) {
			t.Errorf("%s is %v, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "x", "0100007F", "0100007F:", "01:50", "0100007F:12345"} {
		if got := peer.Address(text); got.IsValid() {
			t.Errorf("%q is %v", text, got)
		}
	}
}
