package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// tellsSessions wants a session that waits for a row lock of another to be listed as such, with
// a name, and sessions without work not to be listed.
func (b bench) tellsSessions(t *testing.T) {
	list := b.Engine.Capabilities().Sessions
	if list == nil {
		t.Skip("the engine does not tell what its sessions do")
	}
	c, server := b.started(t, "sessions", nil)
	admin := c.AsAdmin(server.Endpoint())
	db := b.open(t, admin)
	execute(t, db, "CREATE TABLE locked (id int primary key, n int)", "INSERT INTO locked VALUES (1, 0)")
	sessions, err := list(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	defer sessions.Close()
	b.waitFor(t, sessions)
	holder, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.ExecContext(t.Context(), "UPDATE locked SET n = 1 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(context.WithoutCancel(t.Context()), "UPDATE locked SET n = 2 WHERE id = 1")
		done <- err
	}()
	b.waitFor(t, sessions, describe.Activity{Component: describe.LockWait, Name: "row lock"})
	if err := errors.Join(holder.Rollback(), <-done); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, sessions) // it got its lock and is done
}

// hidesSessions wants ErrHidden for an account that may not see the sessions of others.
func (b bench) hidesSessions(t *testing.T) {
	list := b.Engine.Capabilities().Sessions
	if list == nil {
		t.Skip("the engine does not tell what its sessions do")
	}
	c, server := b.started(t, "hidden", nil)
	admin := b.open(t, c.AsAdmin(server.Endpoint()))
	busy := make(chan error, 1)
	go func() { busy <- sleep(t.Context(), admin, server.Endpoint().Kind) }()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		sessions, err := list(t.Context(), server.Endpoint())
		if errors.Is(err, app.ErrHidden) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		sessions.Close()
		time.Sleep(100 * time.Millisecond) // the other one may not have begun
	}
	t.Error("a user's account lists sessions as if no other account had any")
}

// sleep keeps a session of the administrator at work for as long as ctx.
func sleep(ctx context.Context, db *sql.DB, kind string) error {
	statement := map[string]string{"sql:postgres": "SELECT pg_sleep(60)", "sql:mariadb": "SELECT SLEEP(60)"}[kind]
	_, err := db.ExecContext(ctx, statement)
	return err
}

func listed(t *testing.T, s app.Sessions) []describe.Activity {
	t.Helper()
	all, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// waitFor lists sessions until they do what is wanted, and nothing else is listed.
func (b bench) waitFor(t *testing.T, s app.Sessions, want ...describe.Activity) {
	t.Helper()
	var all []describe.Activity
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		all = listed(t, s)
		for i := range all {
			all[i].Thread = 0
		}
		if slices.Equal(all, want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("sessions do %v, want %v", all, want)
}
