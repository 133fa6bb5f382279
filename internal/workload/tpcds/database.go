package tpcds

import (
	"context"
	"fmt"
	"time"

	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/client/trino"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// database answers queries on the tables: a server of DuckDB, or a cluster of Trino.
type database interface {
	// ready waits until every server that works on queries is there.
	ready(ctx context.Context) error
	// ask runs a statement, which is ended when it takes longer than a limit; 0 is none.
	ask(ctx context.Context, sql string, limit time.Duration) (answer, error)
	// columns is how many a query has.
	columns(ctx context.Context, sql string) (int, error)
	// effort is what the servers counted of a statement; it is false where they do not
	// count.
	effort(ctx context.Context, a answer) (describe.Effort, bool)
	// said reports whether an error is an answer to the statement, rather than that nobody
	// answered.
	said(err error) bool
	close()
}

// answer is what a query gave.
type answer struct {
	types []string       // the engine's names of the columns' types: DECIMAL(7,2)
	rows  [][]*string    // as texts; nil is null
	of    trino.Answer   // of a cluster
	by    *duckdb.Effort // of a server of DuckDB, where it is known
}

// open is the database of a target, which is not asked yet.
func open(t workload.Target, p *Parameters) (database, error) {
	e := t.Endpoint(warehouse)
	switch e.Kind {
	case duckdb.Kind:
		return openDuck(t)
	case trino.Kind:
		return openCluster(t, p)
	}
	return nil, fmt.Errorf("open the %s: its endpoint is of kind %q, not %s or %s", warehouse, e.Kind, duckdb.Kind, trino.Kind)
}

// column returns the values of the first column of an answer.
func column(ctx context.Context, db database, sql string) (all []string, err error) {
	a, err := db.ask(ctx, sql, 0)
	for _, row := range a.rows {
		if row[0] != nil {
			all = append(all, *row[0])
		}
	}
	return all, err
}
