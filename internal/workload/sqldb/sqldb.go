// Package sqldb is how workloads on databases prepare and audit: a pool of
// connections to an endpoint through database/sql, and rows streamed into COPY
// or LOAD DATA. Sessions use package wire instead, which costs less CPU.
package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
)

// Open connects to an endpoint with at most so many connections and makes sure
// that it answers.
func Open(ctx context.Context, e workload.Endpoint, connections int) (*sql.DB, error) {
	db, err := pool(e)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close() // never connected
		return nil, fmt.Errorf("connect to %s at %s as user %q, database %q: %w", e.Kind, e.Address, e.User, e.Database, err)
	}
	return db, nil
}

func pool(e workload.Endpoint) (*sql.DB, error) {
	switch e.Kind {
	case wire.Postgres:
		return postgres(e)
	case wire.MariaDB:
		return mariadb(e)
	}
	return nil, fmt.Errorf("connect to %s: no driver for endpoints of kind %q; known: %s, %s", e.Address, e.Kind, wire.Postgres, wire.MariaDB)
}

func postgres(e workload.Endpoint) (*sql.DB, error) {
	config, err := pgx.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to PostgreSQL (look at the PG* variables of the environment): %w", err)
	}
	config.Database, config.User, config.Password = e.Database, e.User, e.Password
	config.Fallbacks = nil
	config.RuntimeParams = map[string]string{"application_name": "plimsoll", "datestyle": "ISO"} // a server may write dates otherwise
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, e.Network, e.Address)
	}
	return stdlib.OpenDB(*config), nil
}

func mariadb(e workload.Endpoint) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr = e.Network, e.Address
	config.DBName, config.User, config.Passwd = e.Database, e.User, e.Password
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to MariaDB: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// Load makes a table with the statement create and streams rows into it, in the
// text form that COPY and LOAD DATA share: tabs between columns, one row a
// line. It gives the number of rows that the server took. After a failure the
// connection must be closed.
func Load(ctx context.Context, c *sql.Conn, table, create string, rows io.Reader) (int64, error) {
	postgres := false
	if err := c.Raw(func(driver any) error {
		_, postgres = driver.(*stdlib.Conn)
		return nil
	}); err != nil {
		return 0, err
	}
	if postgres {
		return copyInto(ctx, c, table, create, rows)
	}
	return loadInto(ctx, c, table, create, rows)
}
