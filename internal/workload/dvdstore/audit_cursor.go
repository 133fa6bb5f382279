package dvdstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
)

// cursor goes through the rows of a query whose columns are integers.
type cursor struct {
	rows  *sql.Rows
	row   []int64 // the current row, valid while more
	dest  []any
	ended bool
}

// open starts a query and goes to its first row.
func (a *auditor) open(ctx context.Context, query string) (*cursor, error) {
	rows, err := a.db.QueryContext(ctx, a.names.Replace(query))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.names.Replace(query), err)
	}
	columns, err := rows.Columns()
	if err != nil {
		_ = rows.Close() // the error before counts
		return nil, err
	}
	c := &cursor{rows: rows, row: make([]int64, len(columns)), dest: make([]any, len(columns))}
	for i := range c.row {
		c.dest[i] = &c.row[i]
	}
	if err := c.next(); err != nil {
		_ = rows.Close() // the error before counts
		return nil, err
	}
	return c, nil
}

// next goes to the next row or ends the cursor.
func (c *cursor) next() error {
	if c.rows.Next() {
		return c.rows.Scan(c.dest...)
	}
	c.ended = true
	return c.rows.Err()
}

// key is the first column, which the query sorts by; it is beyond all others
// when there are no more rows.
func (c *cursor) key() int64 {
	if c.ended {
		return math.MaxInt64
	}
	return c.row[0]
}

// take returns the current row if it has the key, or nil.
func (c *cursor) take(key int64) []int64 {
	if c.ended || c.row[0] != key {
		return nil
	}
	return c.row
}

// skip leaves the row with the key behind.
func (c *cursor) skip(key int64) error {
	if c.take(key) == nil {
		return nil
	}
	return c.next()
}

func (c *cursor) close() { _ = c.rows.Close() } // all rows were read, or an error is on its way

// each calls f with every row of a query.
func (a *auditor) each(ctx context.Context, query string, f func(row []int64)) error {
	c, err := a.open(ctx, query)
	if err != nil {
		return err
	}
	defer c.close()
	for !c.ended {
		f(c.row)
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}
