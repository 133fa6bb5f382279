package duckdb_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// head is the beginning of a request with a key, whose body is announced and does not come.
func head(key, length string) string {
	return "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\nContent-Length: " + length + "\r\n\r\n"
}

// The server does nothing for clients without a key: it waits for no body, and limits their
// number, so that they take no place from users. Bodies have a limit for clients with a
// key, too.
func TestStrangersCostTheServerNothing(t *testing.T) {
	c := app.Config{Name: "strangers", Password: "user's", AdminPassword: "admin's", Users: 2}
	process := start(t, c, func(platform.Platform, storage.Volume) {})
	e := process.Endpoint()
	dial := func() net.Conn {
		conn, err := net.Dial(e.Network, e.Address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	for text, want := range map[string]int{
		head("wrong", "2147483648"):                               http.StatusUnauthorized,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n": http.StatusUnauthorized,
		head("user's", "2147483648"):                              http.StatusRequestEntityTooLarge,
		head("user's", "-1"):                                      http.StatusBadRequest,
		head("user's", "9999999999999999999999"):                  http.StatusBadRequest,
		strings.Replace(head("user's", "2"), "\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n", 1): http.StatusBadRequest,
	} {
		conn := dial()
		if _, err := conn.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		r, err := http.ReadResponse(in, nil)
		if err != nil || r.StatusCode != want {
			t.Errorf("%q: %+v, %v, want %d", text, r, err, want)
			continue
		}
		if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("%q: the connection is open: %v", text, err)
		}
	}
	// A head without an end is not kept.
	endless := dial()
	for range 1 << 10 {
		if _, err := fmt.Fprintf(endless, "X: %s\r\n", strings.Repeat("x", 100)); err != nil {
			break // as it should be
		}
	}
	if _, err := io.Copy(io.Discard, endless); err != nil {
		t.Log(err) // that it ends is what matters
	}
	user, err := duckdb.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	if err := user.Exec(t.Context(), "select 1"); err != nil {
		t.Fatal(err)
	}
	// The server accepts in order: when the last of these is answered all are there.
	const many = 600
	silent := make([]net.Conn, many)
	for i := range silent {
		silent[i] = dial()
	}
	if n, err := silent[0].Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("the first of too many strangers is not gone")
	}
	if err := user.Exec(t.Context(), "select 1"); err != nil {
		t.Errorf("among %d strangers: %v", many, err)
	}
	if os.Geteuid() == 0 {
		localtest.Unreachable(t, e.Address)
	}
}
