package loopback

import (
	"net"
	"os"
	"testing"

	"plimsoll/internal/platform/local/localtest"
)

// A connection is told from those of other users of the machine.
func TestAConnectionIsItsUsers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connected := func() error {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			t.Cleanup(func() { conn.Close() })
		}
		return err
	}
	accepted := func() bool {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return OfThisUser(conn)
	}
	if err := connected(); err != nil {
		t.Fatal(err)
	}
	if !accepted() {
		t.Error("its own user was refused")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can try what another user can do")
	}
	if err := localtest.AsOther(t, connected); err != nil {
		t.Fatal(err)
	}
	if accepted() {
		t.Error("another user was let in")
	}
}
