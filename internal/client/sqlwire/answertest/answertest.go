// Package answertest gives protocols answers that no server sent, and reads what they
// make of them.
package answertest

import (
	"net"
	"os"
	"syscall"
	"testing"

	"plimsoll/internal/client/socket"
	"plimsoll/internal/client/sqlwire"
)

// Link returns a link whose other end has sent these bytes and then nothing
// more, ever.
func Link(t *testing.T, sent []byte) *socket.Link {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range pair {
		f := os.NewFile(uintptr(fd), "socket")
		if ends[i], err = net.FileConn(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
		t.Cleanup(func() { ends[i].Close() })
	}
	if _, err := ends[1].Write(sent); err != nil {
		t.Fatal(err)
	}
	if err := ends[1].(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	l, err := socket.New(ends[0])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ReadAll reads every value that the results promise.
func ReadAll(r *sqlwire.Results) {
	for i := range r.Begun() {
		for row := range r.Rows(i) {
			for column := range r.Columns(i) {
				_, _ = r.Int(i, row, column), r.Text(i, row, column)
			}
		}
	}
}
