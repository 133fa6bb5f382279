// Package duckdbtest gives tests an apptest.Store in a DuckDB server: a table with one row
// per file.
package duckdbtest

import (
	"context"
	"crypto/rand"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
)

// table has a first row, with which it is there.
const table = "kept"

const (
	directory = duckdb.Lake + "/" + table
	files     = "'" + directory + "/*.parquet'"
)

type store struct{ *duckdb.Client }

// Open makes the table if it is not there.
func Open(ctx context.Context, c app.Config, e endpoint.Endpoint) (apptest.Store, error) {
	client, err := duckdb.Open(c.AsAdmin(e))
	if err != nil {
		return nil, err
	}
	s := store{client}
	if _, err := s.Count(ctx); err == nil {
		return s, nil
	}
	// The directory is made by a statement that may write several files.
	return s, s.Exec(ctx, "copy (select '' as key, '' as value) to "+duckdb.Quote(directory)+" (format parquet, per_thread_output true)")
}

func (s store) one(ctx context.Context, sql string) (string, error) {
	a, err := s.Query(ctx, sql, 0)
	if err != nil {
		return "", err
	}
	if len(a.Rows) != 1 || a.Rows[0][0] == nil {
		return "", fmt.Errorf("%s gave %d rows", sql, len(a.Rows))
	}
	return *a.Rows[0][0], nil
}

// Put implements apptest.Store.
func (s store) Put(ctx context.Context, key, value string) error {
	file := directory + "/" + rand.Text() + ".parquet"
	return s.Exec(ctx, fmt.Sprintf("copy (select %s as key, %s as value) to %s (format parquet)", duckdb.Quote(key), duckdb.Quote(value), duckdb.Quote(file)))
}

// Get implements apptest.Store.
func (s store) Get(ctx context.Context, key string) (string, error) {
	return s.one(ctx, "select value from read_parquet("+files+") where key = "+duckdb.Quote(key))
}

// Count implements apptest.Store.
func (s store) Count(ctx context.Context) (n int, err error) {
	text, err := s.one(ctx, "select count(*) from read_parquet("+files+") where key <> ''")
	if err == nil {
		_, err = fmt.Sscan(text, &n)
	}
	return n, err
}

// Close implements apptest.Store.
func (s store) Close() error { s.Client.Close(); return nil }
