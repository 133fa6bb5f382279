package live

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"plimsoll/internal/platform/local/localtest"
	"plimsoll/test/quick"
)

// Other users of the machine, however many connections they open, do not block the
// listening user or clients that have shown a token.
func TestStrangersKeepNobodyFromThePages(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	for name, o := range map[string]Options{"without a token": {}, "with a token": {TokenFile: t.TempDir() + "/token"}} {
		l, err := Listen(o)
		if err != nil {
			t.Fatal(err)
		}
		l.Handle("GET /{$}", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		l.Start()
		defer func() { _ = l.Close(t.Context()) }()
		connect := func() net.Conn {
			c, err := net.Dial("tcp", l.listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			return c
		}
		token := ""
		if l.token != nil {
			token = "Authorization: Bearer " + l.token.text + "\r\n"
		}
		ask := func(c net.Conn, how string, want int) {
			t.Helper()
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n"+how+"\r\n"); err != nil {
				t.Fatal(err)
			}
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil || r.StatusCode != want {
				t.Errorf("%s: %+v, %v, want %d", name, r, err, want)
			}
		}
		refused := http.StatusForbidden
		if l.token != nil {
			refused = http.StatusUnauthorized
		}
		mine := connect()
		ask(mine, token, http.StatusNoContent)
		var theirs []net.Conn
		err = localtest.AsOther(t, func() error {
			for range 2 * (mostConnections + mostStrangers) {
				theirs = append(theirs, connect())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ask(mine, token, http.StatusNoContent)
		ask(connect(), token, http.StatusNoContent)
		ask(theirs[len(theirs)-1], "", refused)
		if n, err := theirs[0].Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%s: the first of too many strangers is served", name)
		}
	}
}
