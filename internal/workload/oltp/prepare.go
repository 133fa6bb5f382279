package oltp

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/session"
	"plimsoll/internal/workload/sqldb"
)

// loadingConnections is how many tables are loaded at the same time.
const loadingConnections = 4

// Prepare creates the tables in an empty database, streams generated rows into
// them, adds keys and indices, brings statistics and counters up to date and
// counts the rows. After a failure the instance is of no use.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	e := t.Endpoint(db)
	pool, err := sqldb.Open(ctx, e, loadingConnections)
	if err != nil {
		return err
	}
	defer pool.Close()
	l := &loader{parameters: own, kind: e.Kind, seed: seed, pool: pool, report: progress}
	if err := l.run(ctx); err != nil {
		return fmt.Errorf("load %d tables of sysbench: %w", own.Tables, err)
	}
	return nil
}

// loader is one run of Prepare.
type loader struct {
	parameters *Parameters
	kind       string
	seed       uint64
	pool       *sql.DB
	next       atomic.Int64 // the table that was begun last

	mu       sync.Mutex
	done     float64 // tables
	reported float64
	report   func(float64)
}

// run loads tables with several connections at a time, waits for all and gives
// the first error.
func (l *loader) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for range min(loadingConnections, l.parameters.Tables) {
		running.Go(func() {
			if err := l.tables(ctx); err != nil {
				cancel(err) // the first one counts
			}
		})
	}
	running.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l.report(1)
	return nil
}

// tables loads one table after another until all are loaded.
func (l *loader) tables(ctx context.Context) error {
	c, err := l.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := execute(ctx, c, sessionStatements(l.kind)...); err != nil {
		return err
	}
	for {
		table := int(l.next.Add(1))
		if table > l.parameters.Tables {
			return nil
		}
		if err := l.table(ctx, c, table); err != nil {
			return fmt.Errorf("table %s: %w", session.TableName(table), err)
		}
	}
}

// Shares of the time that a table takes: its rows, and then its keys and
// indices.
const (
	fillShare  = 0.6
	countShare = 0.05
)

func (l *loader) table(ctx context.Context, c *sql.Conn, table int) error {
	name, rows := session.TableName(table), l.parameters.TableSize
	g := data.NewGenerator(l.seed, l.parameters.keys())
	source := &rowCounter{Rows: g.Rows(table, rows), advance: func(n int64) { l.advance(fillShare * float64(n) / float64(rows)) }}
	key := l.parameters.key(l.kind, l.seed)
	taken, err := sqldb.Load(ctx, c, name, create(l.kind, table, key), source)
	if err != nil {
		return fmt.Errorf("create and load: %w; the database must be empty before", err)
	}
	if taken != rows {
		return fmt.Errorf("the server took %d of %d rows", taken, rows)
	}
	if err := execute(ctx, c, finish(l.kind, table, l.parameters, key)...); err != nil {
		return err
	}
	l.advance(1 - fillShare - countShare)
	var found int64
	if err := c.QueryRowContext(ctx, "select count(*) from "+name).Scan(&found); err != nil {
		return fmt.Errorf("count the rows: %w", err)
	}
	if found != rows {
		return fmt.Errorf("%d rows were loaded, but %d are there", rows, found)
	}
	l.advance(countShare)
	return nil
}

// advance adds a part of a table and reports the share of all that is done, now
// and then and never 1, which comes at the end.
func (l *loader) advance(part float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done += part
	share := l.done / float64(l.parameters.Tables)
	if share-l.reported >= 0.001 && share < 1 {
		l.reported = share
		l.report(share)
	}
}

// rowCounter reports how many rows were read.
type rowCounter struct {
	*data.Rows
	advance func(rows int64)
}

// Read implements io.Reader.
func (c *rowCounter) Read(p []byte) (int, error) {
	before := c.Done()
	n, err := c.Rows.Read(p)
	c.advance(c.Done() - before)
	return n, err
}

var _ io.Reader = (*rowCounter)(nil)

func execute(ctx context.Context, c *sql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// sessionStatements turn off what costs time and cannot fail with rows that we
// made; with both checks off, InnoDB builds an empty table without undo log.
func sessionStatements(kind string) []string {
	if kind == sqlwire.MariaDB {
		return []string{"set session unique_checks = 0, foreign_key_checks = 0"}
	}
	return []string{"set synchronous_commit = off"}
}

// create makes a table as sysbench does. Its comment names the data set, so that
// the audit knows the parameters it was loaded with.
func create(kind string, table int, key string) string {
	name := session.TableName(table)
	if kind == sqlwire.MariaDB {
		return "create table " + name + " (id integer not null auto_increment, k integer default '0' not null, " +
			"c char(120) default '' not null, pad char(60) default '' not null, primary key (id)) engine = innodb comment = '" + key + "'"
	}
	return "create table " + name + " (id serial, k integer default '0' not null, " +
		"c char(120) default '' not null, pad char(60) default '' not null)"
}

// finish adds keys and indices once all rows are there, when they can be sorted.
func finish(kind string, table int, p *Parameters, key string) []string {
	name := session.TableName(table)
	var all []string
	if kind == sqlwire.Postgres {
		all = append(all, "alter table "+name+" add primary key (id)",
			"comment on table "+name+" is '"+key+"'",
			fmt.Sprintf("select setval('%s_id_seq', %d)", name, p.TableSize))
	}
	if p.CreateSecondary {
		all = append(all, fmt.Sprintf("create index k_%d on %s (k)", table, name))
	}
	if kind == sqlwire.Postgres {
		return append(all, "analyze "+name)
	}
	return append(all, "analyze table "+name)
}
