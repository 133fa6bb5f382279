package tpcds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// duck is a server of DuckDB, whose tables are Parquet files of its volume or of a bucket.
type duck struct {
	c     *duckdb.Client
	of    duckdb.Server
	store endpoint.Endpoint // of the bucket, if there is one
}

var _ store = duck{}

func openDuck(t workload.Target) (duck, error) {
	e := t.Endpoint(warehouse)
	c, err := duckdb.Open(e)
	if err != nil {
		return duck{}, err
	}
	of, err := endpoint.As[duckdb.Server](e)
	d := duck{c: c, of: of}
	if of.Bucket != "" {
		d.store = t.Endpoint(storeRole)
	}
	return d, err
}

func (duck) ready(context.Context) error { return nil }

func (d duck) ask(ctx context.Context, sql string, limit time.Duration) (answer, error) {
	a, err := d.c.Query(ctx, sql, limit)
	return answer{types: a.Types, rows: a.Rows, by: a.Effort}, err
}

func (d duck) columns(ctx context.Context, sql string) (int, error) {
	a, err := d.c.Query(ctx, "describe "+sql, 0)
	return len(a.Rows), err
}

// effort is only known of statements that ran alone.
func (duck) effort(_ context.Context, a answer) (describe.Effort, bool) {
	if a.by == nil {
		return describe.Effort{}, false
	}
	return describe.Effort{Count: 1, CPU: a.by.CPU, InputBytes: a.by.Read}, true
}

func (duck) said(err error) bool {
	_, said := errors.AsType[*duckdb.Error](err)
	return said
}

func (d duck) close() { d.c.Close() }

// begin has all tables made in memory until they are written; they spill where it is
// short.
func (d duck) begin(ctx context.Context, p *Parameters) error {
	there, err := column(ctx, d, "select view_name from duckdb_views() where not internal")
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return notEmpty(there[0])
	}
	if d.of.Bucket != "" {
		if err := makeBucket(ctx, d.store, d.of.Bucket); err != nil {
			return err
		}
	}
	return d.c.Exec(ctx, "attach ':memory:' as made", fmt.Sprintf("call dsdgen(sf = %v, catalog = 'made')", p.ScaleFactor))
}

// table copies a table into files of its own.
func (d duck) table(ctx context.Context, p *Parameters, name string) (madeTable, error) {
	if err := d.files(ctx, p, name, "from made."+name); err != nil {
		return madeTable{}, err
	}
	counts, err := column(ctx, d, "select count(*) from made."+name)
	if err != nil || len(counts) != 1 {
		return madeTable{}, fmt.Errorf("count the rows of table %s: %v, %w", name, counts, err)
	}
	return madeTable{rows: counts[0]}, nil
}

// files writes a table, and has queries see it as a restarted server does.
func (d duck) files(ctx context.Context, p *Parameters, table, from string) error {
	at := d.of.Lake + "/" + table
	return d.c.Exec(ctx,
		fmt.Sprintf("copy (%s) to %s (format parquet, compression %s, per_thread_output true)", from, duckdb.Quote(at), p.Compression),
		fmt.Sprintf("create view %s as from read_parquet(%s)", table, duckdb.Quote(at+"/*.parquet")))
}

// analyze implements store: Parquet files have what DuckDB knows of them.
func (duck) analyze(context.Context, string) error { return nil }

func (d duck) keep(ctx context.Context, p *Parameters, notes []note) error {
	if err := d.c.Exec(ctx, "detach made"); err != nil {
		return err
	}
	return d.files(ctx, p, noted, "from "+values(notes))
}

// values are notes as a table of SQL.
func values(notes []note) string {
	var rows []string
	for _, n := range notes {
		rows = append(rows, fmt.Sprintf("(%d, %s, %s)", n.number, duckdb.Quote(n.text), duckdb.Quote(n.answer)))
	}
	return "(values " + strings.Join(rows, ", ") + ") as noted(number, text, answer)"
}
