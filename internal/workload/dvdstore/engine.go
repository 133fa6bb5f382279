package dvdstore

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
)

// engine is what loading and auditing need to know of a database engine.
type engine interface {
	// open gives a pool of connections to the endpoint; nothing is connected yet.
	open(t workload.Endpoint) (*sql.DB, error)
	tables() []table
	// load makes the table and streams its rows into it. It gives the number of
	// rows that the server took.
	load(ctx context.Context, c *sql.Conn, t table, rows io.Reader) (int64, error)
	// allocated is the space that a table of so many bytes takes.
	allocated(bytes int64) int64
	// session lists the statements with which a loading connection begins.
	session() []string
	// database is what the original's drivers for the engine look for.
	database() string
}

func engineOf(kind string) (engine, error) {
	switch kind {
	case wire.Postgres:
		return postgres{}, nil
	case wire.MariaDB:
		return mariadb{}, nil
	}
	return nil, fmt.Errorf("workload %s does not run on %q, only on %s and %s", Name, kind, wire.Postgres, wire.MariaDB)
}

// connect opens the endpoint with at most so many connections and makes sure
// that it answers.
func connect(ctx context.Context, t workload.Endpoint, connections int) (engine, *sql.DB, error) {
	e, err := engineOf(t.Kind)
	if err != nil {
		return nil, nil, err
	}
	db, err := e.open(t)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close() // never connected
		return nil, nil, fmt.Errorf("connect to %s at %s as user %q, database %q: %w", t.Kind, t.Address, t.User, t.Database, err)
	}
	return e, db, nil
}
