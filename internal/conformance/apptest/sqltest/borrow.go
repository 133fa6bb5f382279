package sqltest

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// borrows uses a database on a running server as a run does, and makes sure
// that nothing goes which the run did not make.
func (b bench) borrows(t *testing.T) {
	engine := b.Engine.Capabilities().Borrower
	if engine == nil {
		t.Skip("this engine cannot use an existing server")
	}
	c, server := b.started(t, "borrows", nil)
	e := c.AsAdmin(server.Endpoint())
	db := b.open(t, e)
	execute(t, db, "DROP TABLE kept") // of the suite
	b.turnedAway(t, server.Endpoint(), e)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	count := func(table string) error {
		_, err := db.ExecContext(t.Context(), "SELECT count(*) FROM "+table)
		return err
	}
	must("claim an empty database", engine.Claim(t.Context(), e, "run-1", false))
	execute(t, db, "CREATE TABLE orders (id int PRIMARY KEY)", "CREATE TABLE orderlines (orderid int REFERENCES orders (id), line int)",
		"CREATE VIEW recent AS SELECT id FROM orders")
	must("note what was made", engine.Note(t.Context(), e))
	execute(t, db, "CREATE TABLE visitors (id int PRIMARY KEY)")
	must("release", engine.Release(t.Context(), e, "run-1"))
	must("the existing table is gone", count("visitors"))
	if count("orders") == nil || count("recent") == nil || count(app.Mark) == nil {
		t.Error("what the run made, or its mark, is still there")
	}
	if err := engine.Claim(t.Context(), e, "run-2", false); !errors.Is(err, app.ErrNotEmpty) || !strings.Contains(err.Error(), "visitors") {
		t.Errorf("a database that is not empty: %v", err)
	}
	must("the existing table is gone", count("visitors"))
	b.asked(t, e, false, app.ErrNotEmpty)
	execute(t, db, "DROP TABLE visitors")
	b.asked(t, e, false, nil)
	must("claim", engine.Claim(t.Context(), e, "run-3", false))
	execute(t, db, "CREATE TABLE orders (id int PRIMARY KEY)")
	must("note", engine.Note(t.Context(), e))
	if err := engine.Claim(t.Context(), e, "run-4", false); !errors.Is(err, app.ErrClaimed) || !strings.Contains(err.Error(), "run-3") {
		t.Errorf("a database in use: %v", err)
	}
	b.asked(t, e, false, app.ErrClaimed)
	b.asked(t, e, true, nil)
	if err := engine.Release(t.Context(), e, "run-4"); !errors.Is(err, app.ErrClaimed) {
		t.Errorf("release by a run that was refused: %v", err)
	}
	must("the table of another run is gone", count("orders"))
	must("claim it again", engine.Claim(t.Context(), e, "run-3", false))
	execute(t, db, "CREATE TABLE orders (id int PRIMARY KEY)")
	must("note", engine.Note(t.Context(), e))
	must("claim what a run left that crashed", engine.Claim(t.Context(), e, "run-4", true))
	if count("orders") == nil {
		t.Error("what a run left that crashed is still there")
	}
	execute(t, db, "CREATE TABLE unnoted (id int PRIMARY KEY)")
	if err := engine.Release(t.Context(), e, "run-4"); !errors.Is(err, app.ErrUnnoted) || !strings.Contains(err.Error(), "unnoted") {
		t.Errorf("a release before anything was noted: %v", err)
	}
	must("the mark is gone with a table that no run noted", count(app.Mark))
	if err := engine.Claim(t.Context(), e, "run-5", true); !errors.Is(err, app.ErrNotEmpty) {
		t.Errorf("a table that no run noted: %v", err)
	}
	must("a table that no run noted is gone", count("unnoted"))
	execute(t, db, "DROP TABLE unnoted")
	must("release what holds the mark alone", engine.Release(t.Context(), e, "run-4"))
	must("release what was given back", engine.Release(t.Context(), e, "run-4"))
	b.ownerless(t, e, db)
	// Rights outlive a database. A user cannot drop the database that the session uses:
	// there, another name stands for a dropped one.
	if _, err := db.ExecContext(t.Context(), "DROP DATABASE "+endpoint.Database(e)); err != nil {
		e.Payload = endpoint.With(endpoint.SQL{Database: "dropped"})
	}
	if err := engine.Release(t.Context(), e, "run-4"); !errors.Is(err, app.ErrNoDatabase) {
		t.Errorf("a database that was dropped: %v", err)
	}
}

// ownerless makes sure that a mark without a row, whose maker was interrupted, keeps
// nobody from a database, unless that holds something.
func (b bench) ownerless(t *testing.T, e endpoint.Endpoint, db *sql.DB) {
	t.Helper()
	engine := b.Engine.Capabilities().Borrower
	bare := "CREATE TABLE " + app.Mark + " (number int PRIMARY KEY, kind varchar(20), name varchar(250))"
	execute(t, db, bare)
	b.asked(t, e, false, nil)
	if err := engine.Claim(t.Context(), e, "run-6", false); err != nil {
		t.Errorf("claim a database with a mark of nobody: %v", err)
	}
	if err := errors.Join(engine.Note(t.Context(), e), engine.Release(t.Context(), e, "run-6")); err != nil {
		t.Error(err)
	}
	execute(t, db, bare)
	if err := engine.Release(t.Context(), e, "run-7"); err != nil {
		t.Errorf("release a mark of nobody: %v", err)
	}
	execute(t, db, bare, "CREATE TABLE visitors (id int PRIMARY KEY)")
	b.asked(t, e, false, app.ErrNotEmpty)
	if err := engine.Release(t.Context(), e, "run-7"); !errors.Is(err, app.ErrUnnoted) {
		t.Errorf("release a mark of nobody in a database that holds something: %v", err)
	}
	execute(t, db, "DROP TABLE visitors", "DROP TABLE "+app.Mark)
}

// asked makes sure that what keeps a run from a database is known before it claims it.
func (b bench) asked(t *testing.T, e endpoint.Endpoint, takeOver bool, want error) {
	t.Helper()
	s, err := b.Engine.Capabilities().Ask(t.Context(), e)
	if err != nil || len(s.Refuses) > 0 {
		t.Fatalf("ask: %+v, %v", s, err)
	}
	if refused := s.Held.Refuses("", takeOver); !errors.Is(refused, want) {
		t.Errorf("refused: %v; want %v", refused, want)
	}
}

// turnedAway makes sure that a user who cannot use a database is known before anything is
// made there: one who may not make tables, one with another password, and one whose
// database does not exist.
func (b bench) turnedAway(t *testing.T, user, admin endpoint.Endpoint) {
	t.Helper()
	ask := b.Engine.Capabilities().Ask
	user.Lent, admin.Lent = true, true
	s, err := ask(t.Context(), user)
	if err != nil || len(s.Refuses) != 1 || !strings.Contains(strings.ToLower(s.Refuses[0]), "grant create") {
		t.Errorf("a user without the right to make tables: %q, %v", s.Refuses, err)
	}
	stranger, nowhere := admin, admin
	stranger.Password = "another"
	nowhere.Payload = endpoint.With(endpoint.SQL{Database: "nowhere"})
	for name, c := range map[string]struct {
		e    endpoint.Endpoint
		says []string
	}{
		"another password": {stranger, []string{"password_env or password_file"}},
		"no database":      {nowhere, []string{`database "nowhere"`, "make "}},
	} {
		_, err := ask(t.Context(), c.e)
		if err == nil {
			t.Errorf("%s: not refused", name)
			continue
		}
		for _, want := range append(c.says, c.e.Address, c.e.User) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: it does not say %q: %v", name, want, err)
			}
		}
	}
}
