// Package dvdstoretest looks into the databases of a DVD Store, and damages
// them, in ways of the tests' own. Only tests import it.
package dvdstoretest

import (
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// Open connects to a target until the test ends.
func Open(t *testing.T, target endpoint.Endpoint) *sql.DB {
	t.Helper()
	var db *sql.DB
	if target.Kind == sqlwire.Postgres {
		c, err := sqlconn.Postgres(target)
		if err != nil {
			t.Fatal(err)
		}
		db = stdlib.OpenDB(*c)
	} else {
		connector, err := sqlconn.MariaDB(target, nil)
		if err != nil {
			t.Fatal(err)
		}
		db = sql.OpenDB(connector)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
