package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// table is what a database keeps, as rows of one table.
type table struct{ db *sql.DB }

// newTable makes the table where there is none. It closes the connections on failure.
func newTable(ctx context.Context, db *sql.DB) (table, error) {
	_, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS kept (id varchar(50) PRIMARY KEY, value varchar(50))")
	if err != nil {
		return table{}, errors.Join(err, db.Close())
	}
	return table{db}, nil
}

// quote writes a text of a test, which has no backslashes.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func (t table) Put(ctx context.Context, key, value string) error {
	_, err := t.db.ExecContext(ctx, fmt.Sprintf("INSERT INTO kept VALUES (%s, %s)", quote(key), quote(value)))
	return err
}

func (t table) Get(ctx context.Context, key string) (value string, err error) {
	err = t.db.QueryRowContext(ctx, "SELECT value FROM kept WHERE id = "+quote(key)).Scan(&value)
	return value, err
}

func (t table) Count(ctx context.Context) (n int, err error) {
	err = t.db.QueryRowContext(ctx, "SELECT count(*) FROM kept").Scan(&n)
	return n, err
}

func (t table) Close() error { return t.db.Close() }
