// Package sqldb is how workloads on databases prepare and audit: a pool of
// connections to an endpoint through database/sql, and rows streamed into COPY,
// LOAD DATA or INSERT BULK. Sessions use package sqlwire instead, which costs less CPU.
package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// Open connects to an endpoint with at most so many connections and makes sure
// that it answers.
func Open(ctx context.Context, e endpoint.Endpoint, connections int) (*sql.DB, error) {
	db, err := pool(e)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close() // never connected
		return nil, sqlconn.Failed(e, err)
	}
	return db, nil
}

func pool(e endpoint.Endpoint) (*sql.DB, error) {
	switch e.Kind {
	case sqlwire.Postgres:
		return postgres(e)
	case sqlwire.MariaDB:
		return mariadb(e)
	case sqlwire.SQLServer:
		return sqlserver(e)
	}
	return nil, fmt.Errorf("connect to %s: no driver for endpoints of kind %q; known: %s, %s, %s", e.Address, e.Kind, sqlwire.Postgres, sqlwire.MariaDB, sqlwire.SQLServer)
}

func postgres(e endpoint.Endpoint) (*sql.DB, error) {
	config, err := sqlconn.Postgres(e)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config), nil
}

func mariadb(e endpoint.Endpoint) (*sql.DB, error) {
	connector, err := sqlconn.MariaDB(e, nil)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func sqlserver(e endpoint.Endpoint) (*sql.DB, error) {
	connector, err := sqlconn.SQLServer(e, nil)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// Load makes a table with the statement create and streams rows into it, in the
// text form that COPY and LOAD DATA share: tabs between columns, one row a
// line. After the name of the table may stand which columns they have, in the words of the
// engine's statement. It gives the number of rows that the server took. After a failure
// the connection must be closed.
func Load(ctx context.Context, c *sql.Conn, table, create string, rows io.Reader) (int64, error) {
	load := loadInto
	if err := c.Raw(func(driver any) error {
		switch driver.(type) {
		case *stdlib.Conn:
			load = copyInto
		case *mssql.Conn:
			load = bulkInto
		}
		return nil
	}); err != nil {
		return 0, err
	}
	return load(ctx, c, table, create, rows)
}
