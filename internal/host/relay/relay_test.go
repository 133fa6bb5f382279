package relay

import (
	"io"
	"net"
	"path/filepath"
	"testing"
)

// A relay leads what is sent to the server and the answer back, and its end is that of the
// connections that are open.
func TestRelay(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		r, err := Open(network, address, func() (net.Conn, error) { return net.Dial("tcp", server.Addr().String()) })
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial(network, r.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		got := make([]byte, 4)
		if _, err := c.Write([]byte("line")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, got); err != nil || string(got) != "line" {
			t.Errorf("%s: %q, %v", network, got, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := c.Read(got); err == nil {
			t.Errorf("%s: the connection is open", network)
		}
		if c, err := net.Dial(network, r.Address()); err == nil {
			c.Close()
			t.Errorf("%s: it still listens", network)
		}
	}
}
