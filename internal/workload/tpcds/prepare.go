package tpcds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/workload"
)

// noted is the table of what sessions need to know: the texts of the queries with their
// answers, and the number of rows of each table. It is written last: a data set without it
// is not whole.
const noted = "plimsoll_noted"

// note is a row of the table noted. With a query's number it holds the query's text and the
// digest of its answer. 0 marks a table, with its name and its number of rows, and -1 the
// shape of the data set.
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

// store is a database that can be filled.
type store interface {
	database
	// begin makes an empty database ready; it refuses one that is not empty.
	begin(ctx context.Context, p *Parameters) error
	// table makes one table.
	table(ctx context.Context, p *Parameters, name string) (madeTable, error)
	// analyze has the server learn what plans need to know of a table.
	analyze(ctx context.Context, table string) error
	// keep writes the notes, after everything else.
	keep(ctx context.Context, p *Parameters, notes []note) error
}

// madeTable is a table that a statement made.
type madeTable struct {
	rows  string // how many
	bytes int64  // that were written, where the server says so
	by    answer // of the statement
}

func notEmpty(table string) error {
	return fmt.Errorf("the instance is not empty: it has table %s", table)
}

// Prepare makes the tables in an empty instance, and notes the answers of the queries. Where
// streams are to make the tables, it makes room for them; tables that are given stay as they
// are.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || own.Tables == given {
		return err
	}
	db, err := openStore(ctx, t, own)
	if err != nil {
		return err
	}
	defer db.close()
	if own.Work == loading {
		err = db.begin(ctx, own)
	} else {
		err = load(ctx, db, own, progress)
	}
	if err != nil {
		return fmt.Errorf("load the tables of TPC-DS: %w", err)
	}
	progress(1)
	return nil
}

// openStore opens the database of a target and checks that all its servers are there.
func openStore(ctx context.Context, t workload.Target, p *Parameters) (store, error) {
	db, err := open(t, p)
	if err != nil {
		return nil, err
	}
	if err := db.ready(ctx); err != nil {
		db.close()
		return nil, err
	}
	return db.(store), nil // as every database is
}

func load(ctx context.Context, db store, p *Parameters, progress func(float64)) error {
	texts, err := Fetch(ctx)
	if err != nil {
		return err
	}
	l := loader{db, p, texts, progress}
	return l.load(ctx)
}

type loader struct {
	db       store
	p        *Parameters
	texts    Texts
	progress func(float64)
}

func (l loader) load(ctx context.Context) error {
	if err := l.db.begin(ctx, l.p); err != nil {
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
	return l.db.keep(ctx, l.p, append(notes, note{ofShape, l.p.shape(), ""}))
}

// write makes every table and counts its rows again.
func (l loader) write(ctx context.Context) (notes []note, err error) {
	for i, table := range tables {
		m, err := l.db.table(ctx, l.p, table)
		if err == nil {
			err = l.db.analyze(ctx, table)
		}
		if err != nil {
			return nil, fmt.Errorf("make table %s: %w", table, err)
		}
		one := note{ofTable, table, m.rows}
		if err := mustHave(ctx, l.db, one); err != nil {
			return nil, err
		}
		notes = append(notes, one)
		l.progress(madeShare + (copiedShare-madeShare)*float64(i+1)/float64(len(tables)))
	}
	return notes, nil
}

// ask runs a query for the answer that streams must get.
func (l loader) ask(ctx context.Context, number int) (note, error) {
	sql, err := textFor(ctx, l.db, l.texts, number)
	if err != nil {
		return note{}, err
	}
	return l.answered(ctx, number, sql)
}

// answered runs a query without a time limit: the study's limit is meant for measured
// queries, and caches are cold here.
func (l loader) answered(ctx context.Context, number int, sql string) (note, error) {
	a, err := l.db.ask(ctx, sql, 0)
	return note{number, sql, digest(a)}, err
}

// textFor is a query as streams run it.
func textFor(ctx context.Context, db database, texts Texts, number int) (string, error) {
	sql, err := texts.SQL(number, "")
	if err != nil {
		return "", err
	}
	columns, err := db.columns(ctx, sql)
	return ordered(sql, columns), err
}

// incompleteError is the error of a data set that lacks something.
type incompleteError struct{ error }

func (n incompleteError) Unwrap() error { return n.error }

// judged is an error of the server about a part of the data set; where nobody answered,
// nothing is known of it.
func judged(db database, err error, part string) error {
	if !db.said(err) {
		return err
	}
	return incompleteError{fmt.Errorf("the data set is not whole: %s: %w", part, err)}
}

// notesOf are the queries with their right answers, which are not known of tables that are
// given and that Plimsoll has not made. The rows of all tables may be counted as well.
func notesOf(ctx context.Context, db database, p *Parameters, count bool) (map[int]note, error) {
	of, err := readNotes(ctx, db, p, count)
	if _, none := errors.AsType[incompleteError](err); p.Tables != given || !none {
		return of, err
	}
	texts, err := Fetch(ctx)
	if err != nil {
		return nil, err
	}
	of = map[int]note{}
	for _, n := range p.Queries {
		sql, err := textFor(ctx, db, texts, n)
		if err != nil {
			return nil, judged(db, err, queryName(n)+" cannot be planned")
		}
		of[n] = note{number: n, text: sql}
	}
	return of, nil
}

// readNotes reads what was noted, and counts the rows of all tables where that is wanted. It
// refuses a data set that is not whole.
func readNotes(ctx context.Context, db database, p *Parameters, count bool) (map[int]note, error) {
	a, err := db.ask(ctx, "select number, text, answer from "+noted, 0)
	if err != nil {
		return nil, judged(db, err, "what is noted at its end is not there")
	}
	of, shape := map[int]note{}, ""
	var counted []note
	for _, row := range a.rows {
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
			counted = append(counted, note{number, *row[1], *row[2]})
		default:
			of[number] = note{number, *row[1], *row[2]}
		}
	}
	if shape != p.shape() && p.Tables != given {
		return nil, fmt.Errorf("the data set is %s, not %s", shape, p.shape())
	}
	if len(counted) == 0 {
		return nil, fmt.Errorf("the data set is damaged: table %s notes no table", noted)
	}
	if count {
		err = mustHave(ctx, db, counted...)
	}
	return of, err
}

// mustHave counts the rows of tables, which the ends of their files say, in one statement.
func mustHave(ctx context.Context, db database, want ...note) error {
	rows := map[string]string{}
	var counts []string
	for _, n := range want {
		if !slices.Contains(tables, n.text) { // no other name goes into a statement
			return fmt.Errorf("the data set is damaged: table %s notes a table %q, which TPC-DS has not", noted, n.text)
		}
		rows[n.text] = n.answer
		counts = append(counts, "select '"+n.text+"', count(*) from "+n.text)
	}
	a, err := db.ask(ctx, strings.Join(counts, " union all "), 0)
	if err != nil {
		return judged(db, err, "its tables cannot be counted")
	}
	for _, row := range a.rows {
		if len(row) != 2 || row[0] == nil || row[1] == nil {
			return errors.New("the server does not say how many rows tables have")
		}
		if table, got := *row[0], *row[1]; got != rows[table] {
			return incompleteError{fmt.Errorf("the data set is not whole: table %s has %s rows, not %s", table, got, rows[table])}
		}
	}
	return nil
}
