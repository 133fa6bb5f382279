package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyInto copies into a table that the same transaction made: only then can the
// rows be written frozen, so that neither readers nor vacuum touch the pages
// again once users come, and wal_level=minimal skips the log.
func copyInto(ctx context.Context, c *sql.Conn, table, create string, rows io.Reader) (n int64, err error) {
	if _, err := c.ExecContext(ctx, "begin"); err != nil {
		return 0, err
	}
	if _, err := c.ExecContext(ctx, create); err != nil {
		return 0, err
	}
	err = c.Raw(func(driver any) error {
		tag, err := driver.(*stdlib.Conn).Conn().PgConn().CopyFrom(ctx, rows, "copy "+table+" from stdin (freeze)")
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	_, err = c.ExecContext(ctx, "commit")
	return n, err
}

// loadInto streams the rows as if they were a file of the client. LOAD DATA LOCAL
// turns errors in rows into warnings, because the client cannot be stopped, so
// warnings are asked for.
func loadInto(ctx context.Context, c *sql.Conn, table, create string, rows io.Reader) (int64, error) {
	if _, err := c.ExecContext(ctx, create); err != nil {
		return 0, err
	}
	name := rand.Text() // the driver's registry is shared by the whole process
	mysql.RegisterReaderHandler(name, func() io.Reader { return rows })
	defer mysql.DeregisterReaderHandler(name)
	result, err := c.ExecContext(ctx, "load data local infile 'Reader::"+name+"' into table "+table)
	if err != nil {
		return 0, fmt.Errorf("%w (the server must run with local_infile=1)", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, warnings(ctx, c)
}

// warnings reports the first warning of the last statement as an error.
func warnings(ctx context.Context, c *sql.Conn) error {
	var level, message string
	var code int
	switch err := c.QueryRowContext(ctx, "show warnings limit 1").Scan(&level, &code, &message); err {
	case sql.ErrNoRows:
		return nil
	case nil:
		return fmt.Errorf("the server took the rows with a warning: %s %d: %s", level, code, message)
	default:
		return err
	}
}
