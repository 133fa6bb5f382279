package dvdstore

import (
	"context"
	"database/sql"
	"fmt"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/sqldb"
)

// engine is what loading and auditing need to know of a database engine and of
// the version of DVD Store on it.
type engine interface {
	tables() []table
	// allocated is the space that a table of so many bytes takes.
	allocated(bytes int64) int64
	// session lists the statements with which a loading connection begins.
	session() []string
	// database is what the original's drivers for the engine look for.
	database() string
	// digest gives the first 32 bits of the MD5 digest of a text, as an integer.
	digest(text string) string
	// bigint is what cast calls an integer of 64 bits.
	bigint() string
}

func engineOf(kind string, version int) (engine, error) {
	switch kind {
	case wire.Postgres:
		return postgres{version}, nil
	case wire.MariaDB:
		return mariadb{version}, nil
	}
	return nil, fmt.Errorf("workload %s does not run on %q, only on %s and %s", Name, kind, wire.Postgres, wire.MariaDB)
}

// connect opens the endpoint with at most so many connections and makes sure
// that it answers.
func connect(ctx context.Context, t workload.Endpoint, version, connections int) (engine, *sql.DB, error) {
	e, err := engineOf(t.Kind, version)
	if err != nil {
		return nil, nil, err
	}
	db, err := sqldb.Open(ctx, t, connections)
	return e, db, err
}
