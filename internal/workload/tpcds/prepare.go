package tpcds

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/duckdb"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/tpcds/queries"
)

// noted is the table of what sessions need to know: the texts of the queries with their
// answers, and the number of rows of each table. It is written last: a data set without it
// is not whole.
const noted = "plimsoll_noted"

// note is a row of it. Number is that of a query, whose text and answer's digest follow; it
// is 0 for a table, with its name and its number of rows, and -1 for the shape of the data
// set.
type note struct {
	number       int
	text, answer string
}

const (
	ofTable = 0
	ofShape = -1
)

// Shares of the time of a load.
const (
	madeShare   = 0.4
	copiedShare = 0.6
)

// Prepare makes the tables in an empty instance, writes them as Parquet files, and notes the
// answers of the queries.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	texts, err := queries.Fetch(ctx)
	if err != nil {
		return err
	}
	db, err := duckdb.Open(t.Endpoint(warehouse))
	if err != nil {
		return err
	}
	defer db.Close()
	l := loader{db, own, texts, progress}
	if err := l.load(ctx); err != nil {
		return fmt.Errorf("load the tables of TPC-DS: %w", err)
	}
	progress(1)
	return nil
}

type loader struct {
	db       *duckdb.Client
	p        *Parameters
	texts    queries.Texts
	progress func(float64)
}

func (l loader) load(ctx context.Context) error {
	there, err := l.column(ctx, "select view_name from duckdb_views() where not internal")
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return fmt.Errorf("the instance is not empty: it has table %s", there[0])
	}
	// The tables are in memory until they are written, and spill where it is short.
	if err := l.db.Exec(ctx, "attach ':memory:' as made", fmt.Sprintf("call dsdgen(sf = %v, catalog = 'made')", l.p.ScaleFactor)); err != nil {
		return err
	}
	l.progress(madeShare)
	notes, err := l.write(ctx)
	if err != nil {
		return err
	}
	for i, n := range l.p.Queries {
		one, err := l.ask(ctx, n)
		if err != nil {
			return fmt.Errorf("query %d: %w", n, err)
		}
		notes = append(notes, one)
		l.progress(copiedShare + (0.99-copiedShare)*float64(i+1)/float64(len(l.p.Queries)))
	}
	return l.keep(ctx, append(notes, note{ofShape, l.p.shape(), ""}))
}

// write copies every table into files of its own and compares their rows.
func (l loader) write(ctx context.Context) (notes []note, err error) {
	tables, err := l.column(ctx, "select table_name from duckdb_tables() where database_name = 'made' order by 1")
	if err != nil {
		return nil, err
	}
	for i, table := range tables {
		if err := l.files(ctx, table, "from made."+table); err != nil {
			return nil, err
		}
		counts, err := l.column(ctx, "select count(*) from made."+table+" union all select count(*) from "+table)
		if err != nil {
			return nil, err
		}
		if len(counts) != 2 || counts[0] != counts[1] {
			return nil, fmt.Errorf("table %s was written with %s rows", table, strings.Join(counts, " and read with "))
		}
		notes = append(notes, note{ofTable, table, counts[0]})
		l.progress(madeShare + (copiedShare-madeShare)*float64(i+1)/float64(len(tables)))
	}
	return notes, l.db.Exec(ctx, "detach made")
}

// files writes a table, and has queries see it as a restarted server does.
func (l loader) files(ctx context.Context, table, from string) error {
	at := duckdb.Lake + "/" + table
	return l.db.Exec(ctx,
		fmt.Sprintf("copy (%s) to %s (format parquet, compression %s, per_thread_output true)", from, duckdb.Quote(at), l.p.Compression),
		fmt.Sprintf("create view %s as from read_parquet(%s)", table, duckdb.Quote(at+"/*.parquet")))
}

// ask runs a query for the answer that streams must get.
func (l loader) ask(ctx context.Context, number int) (note, error) {
	sql, err := l.texts.SQL(number, "")
	if err != nil {
		return note{}, err
	}
	columns, err := l.db.Query(ctx, "describe "+sql, 0)
	if err != nil {
		return note{}, err
	}
	sql = ordered(sql, len(columns.Rows))
	a, err := l.db.Query(ctx, sql, l.p.TimeLimit.D())
	return note{number, sql, digest(a)}, err
}

func (l loader) keep(ctx context.Context, notes []note) error {
	var rows []string
	for _, n := range notes {
		rows = append(rows, fmt.Sprintf("(%d, %s, %s)", n.number, duckdb.Quote(n.text), duckdb.Quote(n.answer)))
	}
	return l.files(ctx, noted, "from (values "+strings.Join(rows, ", ")+") as noted(number, text, answer)")
}

// column gives the values of the first column of an answer.
func (l loader) column(ctx context.Context, sql string) (all []string, err error) {
	a, err := l.db.Query(ctx, sql, 0)
	for _, row := range a.Rows {
		if row[0] != nil {
			all = append(all, *row[0])
		}
	}
	return all, err
}

// notWhole is a data set that lacks something.
type notWhole struct{ error }

func (n notWhole) Unwrap() error { return n.error }

// judged is an error of the server about a part of the data set; where nobody answered,
// nothing is known of it.
func judged(err error, part string) error {
	if _, said := errors.AsType[*duckdb.Error](err); !said {
		return err
	}
	return notWhole{fmt.Errorf("the data set is not whole: %s: %w", part, err)}
}

// readNotes reads what was noted, and refuses a data set that is not whole.
func readNotes(ctx context.Context, db *duckdb.Client, p *Parameters) (map[int]note, error) {
	a, err := db.Query(ctx, "select number, text, answer from "+noted, 0)
	if err != nil {
		return nil, judged(err, "what is noted at its end is not there")
	}
	of, shape := map[int]note{}, ""
	for _, row := range a.Rows {
		if len(row) != 3 || row[0] == nil || row[1] == nil || row[2] == nil {
			return nil, fmt.Errorf("the data set is damaged: table %s has a row of another form", noted)
		}
		number, err := strconv.Atoi(*row[0])
		if err != nil {
			return nil, fmt.Errorf("the data set is damaged: %w", err)
		}
		switch number {
		case ofShape:
			shape = *row[1]
		case ofTable:
			if err := mustHave(ctx, db, *row[1], *row[2]); err != nil {
				return nil, err
			}
		default:
			of[number] = note{number, *row[1], *row[2]}
		}
	}
	if shape != p.shape() {
		return nil, fmt.Errorf("the data set is %s, not %s", shape, p.shape())
	}
	return of, nil
}

// mustHave counts the rows of a table, which the ends of its files say.
func mustHave(ctx context.Context, db *duckdb.Client, table, rows string) error {
	a, err := db.Query(ctx, "select count(*) from "+table, 0)
	if err != nil {
		return judged(err, "table "+table)
	}
	if got := *a.Rows[0][0]; got != rows {
		return notWhole{fmt.Errorf("the data set is not whole: table %s has %s rows, not %s", table, got, rows)}
	}
	return nil
}
