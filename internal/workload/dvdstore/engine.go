package dvdstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
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
	// tableNamed asks how many tables of the database have the name that is
	// its parameter, in lower case.
	tableNamed() string
	// digest returns the first 32 bits of the MD5 digest of a text, as an integer.
	digest(text string) string
	// day makes a number like 20270131 of a date.
	day(date string) string
	// bigint is what cast calls an integer of 64 bits.
	bigint() string
}

func engineOf(kind string, version int) (engine, error) {
	switch kind {
	case sqlwire.Postgres:
		return postgres{version}, nil
	case sqlwire.MariaDB:
		return mariadb{version}, nil
	case sqlwire.SQLServer:
		return sqlserver{version}, nil
	}
	return nil, fmt.Errorf("workload %s does not run on %q, only on %s, %s and %s", Name, kind, sqlwire.Postgres, sqlwire.MariaDB, sqlwire.SQLServer)
}

// extractedDay is engine.day in the words of the SQL standard.
func extractedDay(date string) string {
	return fmt.Sprintf("cast(extract(year from %[1]s) * 10000 + extract(month from %[1]s) * 100 + extract(day from %[1]s) as integer)", date)
}

// connect opens the endpoint with at most so many connections and makes sure
// that it answers.
func connect(ctx context.Context, t endpoint.Endpoint, version, connections int) (engine, *sql.DB, error) {
	e, err := engineOf(t.Kind, version)
	if err != nil {
		return nil, nil, err
	}
	db, err := sqldb.Open(ctx, t, connections)
	return e, db, err
}

// checkVersion checks that the database has the tables of its version. Users of version 2
// can work with the tables of version 3, but not the other way round.
func checkVersion(ctx context.Context, e engine, db *sql.DB) error {
	for _, t := range e.tables() {
		var n int
		if err := db.QueryRowContext(ctx, e.tableNamed(), strings.ToLower(t.name)).Scan(&n); err != nil {
			return fmt.Errorf("look for table %s: %w", t.name, err)
		}
		if n == 0 {
			return fmt.Errorf("the database has no table %s: it does not hold the version of DVD Store that the study says; load it with the parameter version of the study", t.name)
		}
	}
	return nil
}
