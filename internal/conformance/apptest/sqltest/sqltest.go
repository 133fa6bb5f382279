// Package sqltest is the conformance suite of engines of SQL databases: the suite of
// package apptest, and tests for databases alone: rights, settings, borrowed databases, and
// the durability that a server reports.
package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
)

// Suite is one engine and where to try it. Its Open need not be given.
type Suite struct {
	apptest.Suite
	// Connect connects to a database.
	Connect func(e endpoint.Endpoint) (*sql.DB, error)
}

// smallMemory is what a server of a crowd has, in bytes.
const smallMemory = 160 << 20

// Run runs every test of the suite.
func Run(t *testing.T, s Suite) {
	s.Small = smallMemory
	s.Open = func(ctx context.Context, c app.Config, e endpoint.Endpoint) (apptest.Store, error) {
		db, err := s.Connect(c.AsAdmin(e))
		if err != nil {
			return nil, err
		}
		return newTable(ctx, db)
	}
	b := bench{apptest.New(t, s.Suite), s.Connect}
	b.Run(t)
	t.Run("the declared user can do what a shop does, and no more", b.rights)
	t.Run("a wrong password is refused with a reason", b.wrongPassword)
	t.Run("a setting of the study is last", b.settings)
	t.Run("a database on a running server is used and given back", b.borrows)
	t.Run("settings that give up durability are the server's", b.givesUp)
	t.Run("durability is read from the server", b.readsDurability)
	t.Run("it tells what its sessions wait for", b.tellsSessions)
	t.Run("an account that may not see the sessions of others is told so", b.hidesSessions)
}

type bench struct {
	apptest.Bench
	connect func(e endpoint.Endpoint) (*sql.DB, error)
}

// started is a server on a platform of its own.
func (b bench) started(t *testing.T, name string, settings map[string]string) (app.Config, platform.Process) {
	t.Helper()
	p, c := b.Configured(t, name)
	v := b.Initialised(t, p, c)
	c.Settings = settings
	return c, b.Start(t, p, c, v)
}

func (b bench) open(t *testing.T, to endpoint.Endpoint) *sql.DB {
	t.Helper()
	db, err := b.connect(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func (b bench) wrongPassword(t *testing.T) {
	p, c := b.Configured(t, "password")
	v := b.Initialised(t, p, c)
	c.Password = "another"
	_, err := p.Start(t.Context(), b.Engine.Server(b.In, c), v)
	if !errors.Is(err, app.ErrHopeless) || !strings.Contains(err.Error(), "not initialised for user") {
		t.Errorf("the error does not help: %v", err)
	}
}

func (b bench) settings(t *testing.T) {
	c, server := b.started(t, "settings", map[string]string{"max_connections": "33"})
	query := map[string]string{"mariadb": "SELECT @@max_connections", "postgres": "SHOW max_connections"}[b.Engine.Name()]
	var got string
	if err := b.open(t, c.AsAdmin(server.Endpoint())).QueryRowContext(t.Context(), query).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if got != "33" {
		t.Errorf("max_connections is %s", got)
	}
}
