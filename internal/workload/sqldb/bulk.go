package sqldb

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/microsoft/go-mssqldb"
)

// bulkInto streams the rows as INSERT BULK, which takes values by the types of the table's
// columns. Columns that number their rows take the numbers given; the table is locked
// as a whole, so that an empty heap is written with little log.
func bulkInto(ctx context.Context, c *sql.Conn, table, create string, rows io.Reader) (int64, error) {
	if _, err := c.ExecContext(ctx, create); err != nil {
		return 0, err
	}
	columns, err := columnsOf(ctx, c, table)
	if err != nil {
		return 0, fmt.Errorf("look at the columns: %w", err)
	}
	if err := numbering(ctx, c, table, "on"); err != nil {
		return 0, err
	}
	s, err := c.PrepareContext(ctx, mssql.CopyIn(table, mssql.BulkOptions{KeepNulls: true, Tablock: true}, names(columns)...))
	if err != nil {
		return 0, err
	}
	defer s.Close()
	each := bufio.NewScanner(rows)
	for each.Scan() {
		values, err := columnValues(columns, each.Text())
		if err != nil {
			return 0, err
		}
		if _, err := s.ExecContext(ctx, values...); err != nil {
			return 0, err
		}
	}
	if err := each.Err(); err != nil {
		return 0, err
	}
	r, err := s.ExecContext(ctx) // no row ends them
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, numbering(ctx, c, table, "off")
}

// numbering says whether a table with a column that numbers its rows takes numbers.
func numbering(ctx context.Context, c *sql.Conn, table, state string) error {
	_, err := c.ExecContext(ctx, fmt.Sprintf("if objectproperty(object_id('%[1]s'), 'TableHasIdentity') = 1 set identity_insert %[1]s %[2]s", table, state))
	return err
}

// bulkColumn is a column of a table that rows are streamed into.
type bulkColumn struct {
	name    string
	integer bool
}

func names(columns []bulkColumn) (all []string) {
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

func columnsOf(ctx context.Context, c *sql.Conn, table string) (all []bulkColumn, err error) {
	rows, err := c.QueryContext(ctx, "select top 0 * from "+table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	for _, t := range types {
		all = append(all, bulkColumn{t.Name(), isInteger(t.DatabaseTypeName())})
	}
	return all, nil
}

func isInteger(databaseType string) bool { return strings.HasSuffix(databaseType, "INT") }

// columnValues takes a row in the text form of COPY apart, in which nothing is escaped but
// \N for null.
func columnValues(columns []bulkColumn, line string) ([]any, error) {
	texts := strings.Split(line, "\t")
	if len(texts) != len(columns) {
		return nil, fmt.Errorf("a row of %d values for %d columns", len(texts), len(columns))
	}
	values := make([]any, len(texts))
	for i, text := range texts {
		switch {
		case text == `\N`:
		case columns[i].integer:
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", columns[i].name, err)
			}
			values[i] = n
		default:
			values[i] = text
		}
	}
	return values, nil
}
