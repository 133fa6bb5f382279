package dvdstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/sqldb"
)

// loadingConnections is how many tables are loaded and indexed at the same
// time, the largest first. Four tables make up nearly all of the data, two in
// version 3, and one connection each is what keeps their rows in the order of
// their keys and lets both engines write an empty table without undo: several
// connections to one table would give that up.
const loadingConnections = 6

// Prepare creates the tables in an empty database, streams generated rows into
// them, adds indices and constraints, brings statistics and counters up to
// date and finally compares the number of rows with what was generated. After
// a failure the instance is of no use.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	e, db, err := connect(ctx, t.Endpoint(db), own.Version, loadingConnections)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := newLoader(e, db, data.New(own.size(), seed), progress).run(ctx); err != nil {
		return fmt.Errorf("load DVD Store %d of %s: %w", own.Version, own.Size, err)
	}
	return nil
}

// loader is one run of Prepare.
type loader struct {
	engine    engine
	db        *sql.DB
	generator data.Generator
	tables    []*loading
	progress  *progress
}

// loading is one table of a loader.
type loading struct {
	table
	share float64 // of all tables' bytes, 0..1
	made  int64   // rows generated for it
}

func newLoader(e engine, db *sql.DB, g data.Generator, report func(float64)) *loader {
	l := &loader{engine: e, db: db, generator: g, progress: &progress{report: report}}
	var bytes float64
	for _, t := range e.tables() {
		own := float64(t.space * g.Keys(t.rows))
		l.tables = append(l.tables, &loading{table: t, share: own})
		bytes += own
	}
	for _, t := range l.tables {
		t.share /= bytes
	}
	slices.SortStableFunc(l.tables, func(a, b *loading) int { return cmp.Compare(b.share, a.share) })
	return l
}

// Shares of the whole time that the steps take: between what 100MB takes on
// PostgreSQL, where indices cost more than rows, and on MariaDB, where it is
// the other way round.
const (
	fillShare      = 0.55
	indexShare     = 0.28
	referenceShare = 0.04
	finishShare    = 0.11
	checkShare     = 0.02
)

func (l *loader) run(ctx context.Context) error {
	steps := []func(context.Context, *sql.Conn, *loading) error{
		l.fill,
		l.statements(indexShare, func(t table) []string { return t.indexes }),
		l.statements(referenceShare, func(t table) []string { return t.references }),
		l.statements(finishShare, func(t table) []string { return t.finish }),
		l.check,
	}
	for _, step := range steps {
		if err := l.each(ctx, step); err != nil {
			return err
		}
	}
	l.progress.finish()
	return nil
}

// each performs a step for all tables in their order, several at a time, each
// with a connection of its own. It waits for all and gives the first error.
func (l *loader) each(ctx context.Context, step func(context.Context, *sql.Conn, *loading) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for _, t := range l.tables {
		c, err := l.db.Conn(ctx) // waits for one that is free
		if err != nil {
			cancel(err) // the first one counts
			break
		}
		running.Go(func() {
			defer c.Close()
			if err := l.perform(ctx, c, t, step); err != nil {
				cancel(fmt.Errorf("table %s: %w", t.name, err))
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// perform prepares the connection and takes the step.
func (l *loader) perform(ctx context.Context, c *sql.Conn, t *loading, step func(context.Context, *sql.Conn, *loading) error) error {
	for _, statement := range l.engine.session() {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return step(ctx, c, t)
}

// fill makes a table and streams its rows into it.
func (l *loader) fill(ctx context.Context, c *sql.Conn, t *loading) error {
	if !t.loaded {
		_, err := c.ExecContext(ctx, t.create)
		return explain(err)
	}
	keys := l.generator.Keys(t.rows)
	rows := &counter{rows: l.generator.Rows(t.rows, 1, keys), advance: func(n int64) {
		l.progress.add(fillShare * t.share * float64(n) / float64(keys))
	}}
	taken, err := sqldb.Load(ctx, c, t.name, t.create, rows)
	if err != nil {
		return explain(err)
	}
	if t.made = rows.count; taken != t.made {
		return fmt.Errorf("the server took %d of %d rows", taken, t.made)
	}
	return nil
}

func explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("create and load: %w; the database must be empty before", err)
}

// statements returns the step that performs some statements of every table.
func (l *loader) statements(share float64, of func(table) []string) func(context.Context, *sql.Conn, *loading) error {
	return func(ctx context.Context, c *sql.Conn, t *loading) error {
		all := of(t.table)
		for _, statement := range all {
			if _, err := c.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
			l.progress.add(share * t.share / float64(len(all)))
		}
		return nil
	}
}

// check counts the rows of a table.
func (l *loader) check(ctx context.Context, c *sql.Conn, t *loading) error {
	var found int64
	if err := c.QueryRowContext(ctx, "select count(*) from "+t.name).Scan(&found); err != nil {
		return fmt.Errorf("count the rows: %w", err)
	}
	if found != t.made {
		return fmt.Errorf("%d rows were loaded, but %d are there", t.made, found)
	}
	l.progress.add(checkShare * t.share)
	return nil
}
