package relay_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/relay"
	"plimsoll/internal/platform/local/localtest"
)

// echo is a server that sends back its input.
func echo(t *testing.T) net.Addr {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return server.Addr()
}

// says sends a line over a connection and takes it back.
func says(t *testing.T, c net.Conn) {
	t.Helper()
	got := make([]byte, 4)
	if _, err := c.Write([]byte("line")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "line" {
		t.Errorf("%s: %q, %v", c.RemoteAddr(), got, err)
	}
}

// A relay forwards requests to the server and answers back. Closing it ends the open
// connections.
func TestRelay(t *testing.T) {
	server := echo(t)
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		r, err := relay.Open(network, address, peer.OfThisUser, func() (net.Conn, error) { return net.Dial("tcp", server.String()) })
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial(network, r.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		says(t, c)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := c.Read(make([]byte, 4)); err == nil {
			t.Errorf("%s: the connection is open", network)
		}
		if c, err := net.Dial(network, r.Address()); err == nil {
			c.Close()
			t.Errorf("%s: it still listens", network)
		}
	}
}

// Another user of the machine gets nothing through a relay, and neither descriptors of this
// process nor connections to the server: nobody is dialled for him.
func TestStrangersUseUpNothingOfARelay(t *testing.T) {
	server := echo(t)
	var dialled atomic.Int32
	r, err := relay.Open("tcp", "127.0.0.1:0", peer.OfThisUser, func() (net.Conn, error) {
		dialled.Add(1)
		return net.Dial("tcp", server.String())
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const many = 200
	before := descriptors(t)
	var theirs []net.Conn
	for range many {
		err := localtest.AsOther(t, func() error {
			c, err := net.Dial("tcp", r.Address())
			if err == nil {
				theirs = append(theirs, c)
			}
			return nil // one that was refused is no failure
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range theirs {
		defer c.Close()
		if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Error("a stranger's connection is open")
		}
	}
	if now := descriptors(t); now > before+len(theirs)+many/10 {
		t.Errorf("%d descriptors became %d with %d of the strangers' own", before, now, len(theirs))
	}
	c, err := net.Dial("tcp", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	says(t, c)
	if dialled.Load() != 1 {
		t.Errorf("the server was called %d times", dialled.Load())
	}
}

// descriptors are those that this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
