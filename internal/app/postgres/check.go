package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// extension is PostgreSQL's own check of its files (manual, appendix F:
// amcheck). Only superusers may use it.
const extension = "amcheck"

// Tables and B-tree indices of the database, the system's too; temporary and
// unlogged ones do not outlive a crash.
const (
	tables  = `select oid::regclass::text from pg_class where relkind in ('r', 't', 'm') and relpersistence = 'p' order by 1`
	indices = `select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
		where a.amname = 'btree' and i.indisvalid and c.relpersistence = 'p' order by 1`
)

// Check reads every table and compares each B-tree index with its table, by
// the extension amcheck; where the installation lacks that, it reads every
// table. Pages are compared with their checksums by being read.
func (Engine) Check(ctx context.Context, t endpoint.Endpoint) ([]describe.Check, error) {
	conn, err := connect(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("check the files: %w", err)
	}
	defer conn.Close(ctx)
	have, err := ask(ctx, conn, `select extname from pg_extension where extname = $1`, extension)
	if err != nil {
		return nil, fmt.Errorf("check the files: %w", err)
	}
	if len(have) == 0 {
		c, err := checkEach(ctx, conn, "every table can be read (amcheck is not installed)", tables,
			func(table string) string { return "select from " + table + " as t having count(t.*) < 0" }) // of whole rows: an index would do for count(*)
		return []describe.Check{c}, err
	}
	heap, err := checkEach(ctx, conn, "amcheck finds no errors in tables", tables, func(table string) string {
		return "select 'block ' || blkno || ': ' || msg from verify_heapam(" + quoteText(table) + ", check_toast => true)"
	})
	if err != nil {
		return []describe.Check{heap}, err
	}
	trees, err := checkEach(ctx, conn, "amcheck finds no errors in indexes, and every row is indexed", indices, func(index string) string {
		return "select nullif(bt_index_check(" + quoteText(index) + ", heapallindexed => true)::text, '')"
	})
	return []describe.Check{heap, trees}, err
}

// checkEach runs a query for each relation that list returns. Rows of its answer describe
// faults; so does a refusal of the server.
func checkEach(ctx context.Context, conn *pgconn.PgConn, name, list string, query func(relation string) string) (describe.Check, error) {
	relations, err := ask(ctx, conn, list)
	if refused(err) != "" {
		return describe.Check{Name: name, Expected: 1, Examples: []string{refused(err)}}, nil
	}
	if err != nil {
		err = fmt.Errorf("check the files: %w", err)
		return describe.Check{Name: name, Uncounted: err.Error()}, err
	}
	return app.CheckEach(name, relations, func(relation string) ([]string, error) {
		wrong, err := ask(ctx, conn, query(relation))
		if text := refused(err); text != "" {
			return []string{text}, nil
		}
		return wrong, err
	})
}

// refused is the server's message when it answered with an error.
func refused(err error) string {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		return answer.Message
	}
	return ""
}

// ask returns the first column of an answer, without nulls.
func ask(ctx context.Context, conn *pgconn.PgConn, query string, arguments ...string) ([]string, error) {
	values := make([][]byte, len(arguments))
	for i, a := range arguments {
		values[i] = []byte(a)
	}
	answer := conn.ExecParams(ctx, query, values, nil, nil, nil).Read()
	var column []string
	for _, row := range answer.Rows {
		if len(row) > 0 && row[0] != nil {
			column = append(column, string(row[0]))
		}
	}
	return column, answer.Err
}

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
