package socket_test

import (
	"net"
	"testing"

	"plimsoll/internal/client/socket"
)

// A read ends at the end of its slice, even if the array behind it is longer, as it is for
// a caller that reads one chunk of a content.
func TestAReadEndsWithItsSlice(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Write([]byte("0123456789")) // who reads tells
		c.Close()
	}()
	c, err := socket.Dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	var got []byte
	for len(got) < 10 {
		array := []byte("................")
		n, err := c.Read(array[:3])
		if err != nil || n < 1 || n > 3 || string(array[3:]) != "............." {
			t.Fatalf("%d bytes, %q, %v", n, array, err)
		}
		got = append(got, array[:n]...)
	}
	if string(got) != "0123456789" {
		t.Errorf("%q", got)
	}
}
