package dvdstore

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"plimsoll/internal/workload"
)

type postgres struct{}

func (postgres) open(t workload.Endpoint) (*sql.DB, error) {
	config, err := pgx.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to PostgreSQL (look at the PG* variables of the environment): %w", err)
	}
	config.Database, config.User, config.Password = t.Database, t.User, t.Password
	config.Fallbacks = nil
	config.RuntimeParams = map[string]string{"application_name": "plimsoll"}
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, t.Network, t.Address)
	}
	return stdlib.OpenDB(*config), nil
}

func (postgres) tables() []table { return postgresTables() }

func (postgres) allocated(bytes int64) int64 { return bytes }

func (postgres) database() string { return "ds2" }

func (postgres) session() []string { return []string{`set synchronous_commit = off`} }

// load copies into a table that the same transaction made: only then can the
// rows be written frozen, so that neither readers nor vacuum touch the pages
// again once users come, and wal_level=minimal skips the log. After a failure
// the connection must be closed.
func (postgres) load(ctx context.Context, c *sql.Conn, t table, rows io.Reader) (n int64, err error) {
	if _, err := c.ExecContext(ctx, "begin"); err != nil {
		return 0, err
	}
	if _, err := c.ExecContext(ctx, t.create); err != nil {
		return 0, err
	}
	err = c.Raw(func(driver any) error {
		tag, err := driver.(*stdlib.Conn).Conn().PgConn().CopyFrom(ctx, rows, "copy "+t.name+" from stdin (freeze)")
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	_, err = c.ExecContext(ctx, "commit")
	return n, err
}
