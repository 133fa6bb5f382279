package peer_test

import (
	"errors"
	"io"
	"net"
	"testing"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/platform/local/localtest"
)

// ended waits for the end of a connection over which nothing came.
func ended(t *testing.T, conn net.Conn, why string) {
	t.Helper()
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("%s: it is open", why)
	}
}

// open sees that bytes pass.
func open(t *testing.T, here, there net.Conn, why string) {
	t.Helper()
	if _, err := here.Write([]byte("x")); err != nil {
		t.Fatalf("%s: %v", why, err)
	}
	if _, err := io.ReadFull(there, make([]byte, 1)); err != nil {
		t.Fatalf("%s: %v", why, err)
	}
}

// Strangers, however many, end each other's connections and never the connections of the
// guard's own user, who waits only for himself.
func TestStrangersTakeNobodysPlace(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	g := peer.NewGuard(l, peer.OfThisUser, 2, 3)
	mine, err := dial(t, l, "")
	if err != nil {
		t.Fatal(err)
	}
	first := accepted(t, g)
	var all, theirs []net.Conn
	for range 20 {
		err := localtest.AsOther(t, func() error {
			c, err := dial(t, l, "")
			all = append(all, c)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		c := accepted(t, g)
		if c.(*peer.Conn).Own() {
			t.Fatal("a stranger is the guard's own")
		}
		theirs = append(theirs, c)
	}
	for i, c := range all {
		if i < len(all)-3 {
			ended(t, c, "a stranger's")
		} else {
			open(t, c, theirs[i], "one of the last strangers'")
		}
	}
	open(t, mine, first, "its own")
	second, err := dial(t, l, "")
	if err != nil {
		t.Fatal(err)
	}
	open(t, second, accepted(t, g), "another of its own")
	for _, c := range theirs { // in any order, also of those that ended before
		c.Close()
	}
	if own, strangers := g.Taken(); own != 2 || strangers != 0 {
		t.Errorf("%d of its own, %d strangers", own, strangers)
	}
	// A stranger who shows that he may is not one any more.
	if err := localtest.AsOther(t, func() error { _, err := dial(t, l, ""); return err }); err != nil {
		t.Fatal(err)
	}
	c := accepted(t, g).(*peer.Conn)
	c.Trust() // there is no place
	if c.Own() {
		t.Error("there are more of its own than it has places")
	}
	first.Close()
	c.Trust()
	if _, strangers := g.Taken(); !c.Own() || strangers != 0 {
		t.Error("it was not trusted")
	}
	c.Close()
	c.Trust()
	if own, _ := g.Taken(); own != 1 {
		t.Errorf("%d of its own", own)
	}
}

// Where strangers have no places their connections end before anything is done for them, and
// the next of the guard's own is served.
func TestStrangersAreNotServed(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	g := peer.NewGuard(l, peer.OfThisUser, 1, 0)
	var theirs []net.Conn
	for range 50 {
		err := localtest.AsOther(t, func() error {
			c, err := dial(t, l, "")
			theirs = append(theirs, c)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	mine, err := dial(t, l, "")
	if err != nil {
		t.Fatal(err)
	}
	open(t, mine, accepted(t, g), "its own")
	for _, c := range theirs {
		ended(t, c, "a stranger's")
	}
}

// More of its own than there are places wait until one ends, or the guard.
func TestItsOwnWaitForAPlace(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	g := peer.NewGuard(l, peer.OfThisUser, 1, 0)
	var conns []net.Conn
	for range 3 {
		c, err := dial(t, l, "")
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	first := accepted(t, g)
	next := make(chan net.Conn)
	go func() {
		for {
			c, err := g.Accept()
			if err != nil {
				close(next)
				return
			}
			next <- c
		}
	}()
	select {
	case <-next:
		t.Fatal("it has more connections than places")
	default:
	}
	first.Close()
	second := <-next
	open(t, conns[1], second, "the second")
	g.Close()
	if _, more := <-next; more {
		t.Error("a connection was let in after the end")
	}
	ended(t, conns[2], "the third")
	if _, err := g.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after its end: %v", err)
	}
}
