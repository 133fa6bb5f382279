package postgres_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"plimsoll/internal/app/postgres"
	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
)

// Whoever answers for a server is known before anything is made: sessions that are shared
// are refused, few of them are counted, and what only forwards is nobody.
func TestPoolersAreKnown(t *testing.T) {
	server := sqlwiretest.Start(t, sqlwire.Postgres)
	server.Lent = true
	for name, c := range map[string]struct {
		at   string
		says string // why it is refused
		free int
		how  string
	}{
		"a pool that shares sessions": {pooled(t, server, 2, true), "transaction pooling", -1, ""},
		"a pool of three":             {pooled(t, server, 3, false), "", 3, "its pool gives 3 connections"},
		"what forwards":               {forwarded(t, server), "", 197, "max_connections 200"},
		"the server":                  {sqlwiretest.TCP(t, server).Address, "", 197, "max_connections 200"},
	} {
		t.Run(name, func(t *testing.T) {
			e := server
			e.Network, e.Address = "tcp", c.at
			s, err := postgres.Engine{}.Ask(t.Context(), e)
			text := refused(s, err)
			if c.says == "" && text != "" || !strings.Contains(text, c.says) {
				t.Errorf("it says %q, want %q", text, c.says)
			}
			if !strings.Contains(s.Slots, c.how) || s.Free > c.free || c.free < 100 && s.Free != c.free {
				t.Errorf("%d free: %s", s.Free, s.Slots)
			}
		})
	}
}

// forwarded listens and forwards connections to a server.
func forwarded(t *testing.T, server endpoint.Endpoint) string {
	return listening(t, func(client net.Conn) {
		there, err := net.Dial(server.Network, server.Address)
		if err != nil {
			return
		}
		defer there.Close()
		go func() { _, _ = io.Copy(there, client) }() // it ends with the connection
		_, _ = io.Copy(client, there)
	})
}

// pooled listens as a pooler with so many sessions of a server: each is one client's, or
// shared by all.
func pooled(t *testing.T, server endpoint.Endpoint, sessions int, shared bool) string {
	t.Helper()
	config, err := sqlconn.Postgres(server)
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan *pgconn.HijackedConn, sessions)
	for range sessions {
		c, err := pgconn.ConnectConfig(t.Context(), &config.Config)
		if err != nil {
			t.Fatal(err)
		}
		session, err := c.Hijack()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Conn.Close() })
		free <- session
	}
	return listening(t, func(client net.Conn) {
		b := pgproto3.NewBackend(client, client)
		if _, err := b.ReceiveStartupMessage(); err != nil {
			return
		}
		b.Send(&pgproto3.AuthenticationOk{})
		b.Send(&pgproto3.BackendKeyData{ProcessID: 4_000_000_000, SecretKey: []byte("none")})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		if b.Flush() == nil {
			serve(b, free, shared)
		}
	})
}

// serve hands the queries of a client to a session.
func serve(client *pgproto3.Backend, free chan *pgconn.HijackedConn, shared bool) {
	var session *pgconn.HijackedConn
	release := func() {
		if session != nil {
			free <- session
		}
		session = nil
	}
	defer release()
	for {
		m, err := client.Receive()
		if _, over := m.(*pgproto3.Terminate); err != nil || over {
			return
		}
		if session == nil {
			session = <-free
		}
		session.Frontend.Send(m)
		if session.Frontend.Flush() != nil {
			return
		}
		switch m.(type) {
		case *pgproto3.Query, *pgproto3.Sync:
			if !answered(client, session.Frontend) {
				return
			}
			if shared {
				release()
			}
		}
	}
}

// answered gives a client the answers up to the next time that the server is ready, and reads
// those that the client has left for: the next client of the session must not get them.
func answered(client *pgproto3.Backend, server *pgproto3.Frontend) bool {
	for there := true; ; {
		m, err := server.Receive()
		if err != nil {
			return false
		}
		if there {
			client.Send(m)
			there = client.Flush() == nil
		}
		if _, ready := m.(*pgproto3.ReadyForQuery); ready {
			return there
		}
	}
}

// listening serves connections until the test ends.
func listening(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return l.Addr().String()
}
