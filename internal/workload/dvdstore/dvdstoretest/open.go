// Package dvdstoretest looks into the databases of a DVD Store, and damages
// them, in ways of the tests' own. Only tests import it.
package dvdstoretest

import (
	"context"
	"database/sql"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/workload"
)

// Open connects to a target until the test ends.
func Open(t *testing.T, target workload.Endpoint) *sql.DB {
	t.Helper()
	var db *sql.DB
	if target.Kind == "sql:postgres" {
		db = stdlib.OpenDB(*postgresConfig(t, target))
	} else {
		c := mysql.NewConfig()
		c.Net, c.Addr, c.User, c.Passwd, c.DBName = target.Network, target.Address, target.User, target.Password, target.Database
		connector, err := mysql.NewConnector(c)
		if err != nil {
			t.Fatal(err)
		}
		db = sql.OpenDB(connector)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func postgresConfig(t *testing.T, target workload.Endpoint) *pgx.ConnConfig {
	t.Helper()
	c, err := pgx.ParseConfig("sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	c.User, c.Password, c.Database = target.User, target.Password, target.Database
	c.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	c.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, target.Network, target.Address)
	}
	return c
}
