package sqlconn

import (
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/describe/endpoint"
)

// How PostgreSQL asks for a password (manual, "Message Formats").
const (
	asIs   = 3
	hashed = 5
)

// asks listens as a PostgreSQL server that asks for a password. It sends on told the
// password that it received, or "" if the client closed the connection.
func asks(t *testing.T, network, address string, how uint32) (at string, told <-chan string) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	answers := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		var size [4]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(size[:]))-4); err != nil {
			return
		}
		message := binary.BigEndian.AppendUint32([]byte("R\x00\x00\x00\x08"), how)
		if how == hashed {
			message[4] = 12
			message = append(message, "salt"...)
		}
		if _, err := c.Write(message); err != nil {
			return
		}
		answer := make([]byte, 100)
		n, _ := c.Read(answer)
		answers <- string(answer[:n])
	}()
	return l.Addr().String(), answers
}

// Whoever listens at the address that a study names, or at a port of the loopback, gets no
// password, and nothing that it is as good as.
func TestAPasswordIsNotSentWithoutTLS(t *testing.T) {
	for _, how := range []uint32{asIs, hashed} {
		at, told := asks(t, "tcp", "127.0.0.1:0", how)
		e := endpoint.Endpoint{Kind: postgresKind, Network: "tcp", Address: at, User: "u", Password: "hunter2", Lent: true}
		err := connects(t, e)
		if err == nil || !strings.Contains(err.Error(), "it was not sent") || !strings.Contains(err.Error(), "tls: verify-full") {
			t.Errorf("asked for %d: %v", how, err)
		}
		if text := <-told; text != "" {
			t.Errorf("asked for %d: told %q", how, text)
		}
	}
}

// A unix socket is not anybody's, and a server of the run's own has a password of its own.
func TestAPasswordIsSentWhereNobodyElseListens(t *testing.T) {
	socket := filepath.Join(t.TempDir(), ".s.PGSQL.5432")
	at, told := asks(t, "unix", socket, asIs)
	_ = connects(t, endpoint.Endpoint{Kind: postgresKind, Network: "unix", Address: at, User: "u", Password: "hunter2", Lent: true})
	if text := <-told; !strings.Contains(text, "hunter2") {
		t.Errorf("by a unix socket: %q", text)
	}
	at, told = asks(t, "tcp", "127.0.0.1:0", asIs)
	_ = connects(t, endpoint.Endpoint{Kind: postgresKind, Network: "tcp", Address: at, User: "u", Password: "made for the run"})
	if text := <-told; !strings.Contains(text, "made for the run") {
		t.Errorf("to an own server: %q", text)
	}
}

func connects(t *testing.T, e endpoint.Endpoint) error {
	c, err := Postgres(e)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgconn.ConnectConfig(t.Context(), &c.Config)
	if err == nil {
		err = conn.Close(t.Context())
	}
	return Failed(e, err)
}
