package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
)

// A server whose commits wait for a standby that is away is known before anything is made
// there, whoever asks; one whose standby is there is not refused, nor is a user who does
// not wait.
func TestCommitsThatWait(t *testing.T) {
	primary := sqlwiretest.Start(t, sqlwire.Postgres)
	c, err := dial.Open(t.Context(), primary)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sqlwiretest.MustDo(t, c, "create role shop login", "create schema authorization shop", "create role hasty login", "create schema authorization hasty",
		"alter role hasty set synchronous_commit = local", "alter system set synchronous_standby_names = 'walreceiver'", "select pg_reload_conf()")
	as := func(user string) endpoint.Endpoint {
		e := primary
		e.User, e.Lent = user, true
		return e
	}
	says := func(user, want string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; { // the server reads its configuration soon
			s, err := postgres.Engine{}.Ask(t.Context(), as(user))
			text := refused(s, err)
			if want == "" && text == "" || want != "" && strings.Contains(text, want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("user %s: it says %q, want %q", user, text, want)
			}
		}
	}
	says("plimsoll", "every commit waits for a standby that is away")
	says("shop", "wants 1, and 0 are connected")
	says("hasty", "")
	waiting(t, as("shop"), c)
	sqlwiretest.Standby(t, primary)
	says("plimsoll", "")
	says("shop", "")
	sqlwiretest.MustDo(t, c, "set synchronous_commit = local", "alter system set synchronous_standby_names = 'ANY 2 (walreceiver, other)'", "select pg_reload_conf()")
	says("shop", "wants 2, and 1 are connected")
}

// waiting claims a database whose commits do not end, and makes sure that whoever is
// interrupted there leaves a mark with the run's name or none, which is found once commits
// end again.
func waiting(t *testing.T, e endpoint.Endpoint, admin sqlwire.Conn) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- postgres.Engine{}.Claim(ctx, e, "r", false) }()
	held := count(t, admin, "select count(*) from pg_stat_activity where wait_event = 'SyncRep'", 1)
	cancel()
	if err := <-ended; err == nil || !held {
		t.Fatalf("it waits: %t; %v", held, err)
	}
	given := make(chan error)
	go func() { given <- postgres.Engine{}.Release(t.Context(), e, "r") }()
	if !count(t, admin, "select count(*) from pg_stat_activity where wait_event = 'SyncRep'", 1) {
		t.Error("the release does not wait")
	}
	sqlwiretest.MustDo(t, admin, "set synchronous_commit = local", "alter system reset synchronous_standby_names", "select pg_reload_conf()")
	if err := <-given; err != nil {
		t.Error(err)
	}
	if !count(t, admin, "select count(*) from pg_class where relname = '"+app.Mark+"'", 0) {
		t.Error("the mark is still there")
	}
	sqlwiretest.MustDo(t, admin, "alter system set synchronous_standby_names = 'walreceiver'", "select pg_reload_conf()")
}

// A session whose client is gone may still be about to make a mark: a release waits for it.
func TestAReleaseWaitsForAClaim(t *testing.T) {
	server := sqlwiretest.Start(t, sqlwire.Postgres)
	c, err := dial.Open(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sqlwiretest.MustDo(t, c, "select pg_advisory_lock(hashtext('"+app.Mark+"'))", "create table "+app.Mark+" (number int primary key, kind text, name text)",
		"insert into "+app.Mark+" values (1, 'run', 'r')")
	given := make(chan error)
	go func() { given <- postgres.Engine{}.Release(t.Context(), server, "r") }()
	if !count(t, c, "select count(*) from pg_locks where locktype = 'advisory' and not granted", 1) {
		t.Error("the release does not wait for the claim")
	}
	sqlwiretest.MustDo(t, c, "select pg_advisory_unlock_all()")
	if err := <-given; err != nil {
		t.Error(err)
	}
	if !count(t, c, "select count(*) from pg_class where relname = '"+app.Mark+"'", 0) {
		t.Error("the mark is still there")
	}
}

// count asks until a query counts so many, and reports whether it came to that.
func count(t *testing.T, c sqlwire.Conn, query string, want int64) bool {
	t.Helper()
	s, err := c.Prepare(query)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		r, err := c.Do(new(sqlwire.Batch).Call(s))
		if err != nil {
			t.Fatal(err)
		}
		if r.Int(0, 0, 0) == want {
			return true
		}
	}
	return false
}

// A database is known again under another address of its server, and no other is taken
// for it.
func TestTheSameDatabaseIsKnown(t *testing.T) {
	socket := sqlwiretest.Start(t, sqlwire.Postgres)
	socket.Lent = true
	c, err := dial.Open(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sqlwiretest.MustDo(t, c, "create database other")
	tcp, elsewhere := sqlwiretest.TCP(t, socket), sqlwiretest.Start(t, sqlwire.Postgres)
	other := tcp
	other.Payload = endpoint.With(endpoint.SQL{Database: "other"})
	ask := func(e endpoint.Endpoint) app.ServerAccess {
		t.Helper()
		s, err := postgres.Engine{}.Ask(t.Context(), e)
		if err != nil || s.Server == "" || s.Database == "" {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}
	first := ask(socket)
	if s := ask(tcp); s.Server != first.Server || s.Database != first.Database {
		t.Errorf("another address: %+v", s)
	}
	if s := ask(other); s.Server != first.Server || s.Database == first.Database {
		t.Errorf("another database: %+v", s)
	}
	if s := ask(elsewhere); s.Server == first.Server || s.Database == first.Database {
		t.Errorf("another server: %+v", s)
	}
}
