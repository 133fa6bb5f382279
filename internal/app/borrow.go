package app

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/describe/endpoint"
)

// Borrower uses a database on an existing server. The endpoint's user may make and drop tables
// there.
type Borrower interface {
	// Claim marks an empty database as used by a run. It first drops objects that the run
	// itself noted there before. A database with the mark of another run is refused with
	// ErrClaimed, unless it is to be taken over: then that run's noted objects are dropped,
	// too. A database that holds anything else is refused with ErrNotEmpty.
	Claim(ctx context.Context, e endpoint.Endpoint, run string, takeOver bool) error
	// Note records next to the mark the current contents of the database, which were made
	// since Claim.
	Note(ctx context.Context, e endpoint.Endpoint) error
	// Release drops the objects that a run noted, and its mark, and nothing else, and
	// checks that they are gone. A database with the mark of another run stays as it is,
	// with ErrClaimed; so does one that holds something although the run noted nothing,
	// with ErrUnnoted.
	Release(ctx context.Context, e endpoint.Endpoint, run string) error
}

// ErrNotEmpty means that a database is not empty, so that it is not ours to use.
var ErrNotEmpty = errors.New("the database is not empty")

// ErrClaimed means that a database has the mark of another run.
var ErrClaimed = errors.New("the database is in use by another run, or was when that run was interrupted")

// ErrUnnoted means that a database holds objects that no run has noted.
var ErrUnnoted = errors.New("the database is not given back")

// ErrNoDatabase means that the server has no such database, or has it no longer.
var ErrNoDatabase = errors.New("there is no such database")

// Mark is the table that Claim makes.
const Mark = "plimsoll_mark"

// ByHand is what gives a database back that no run can give back any more.
const ByHand = "drop what the run made there, and the table " + Mark

// Object is something in a database that can be dropped.
type Object struct {
	Kind string // table, view, sequence, function
	Name string // as SQL writes it, quoted where it has to be
}

// Borrowing is how a Borrower's methods work in one dialect of SQL.
type Borrowing struct {
	Open func(e endpoint.Endpoint) (*sql.DB, error)
	// Objects is a query for kind and name of everything in the database that is not the
	// server's own and not part of something else that it lists.
	Objects string
	// Lock is a query that waits until no other session is between the begin and the end
	// of Claim or Release, and answers 1 once its session has the lock, which it keeps;
	// empty where dropping a mark waits for whoever still makes it.
	Lock string
	// Insert adds a row to the mark, with placeholders for its number, kind and name.
	Insert string
	// Gone reports whether an error means that the server has no such
	// database.
	Gone func(err error) bool
	// Drop gives the statements that drop objects, in one session.
	Drop func(all []Object) []string
}

// Claim implements Borrower.
func (b Borrowing) Claim(ctx context.Context, e endpoint.Endpoint, run string, takeOver bool) error {
	return b.with(ctx, e, func(c *sql.Conn) error {
		if err := b.locked(ctx, c); err != nil {
			return err
		}
		h, err := b.contents(ctx, c)
		if err != nil {
			return err
		}
		if err := h.Refuses(run, takeOver); err != nil {
			return err
		}
		if _, err := b.release(ctx, c); err != nil {
			return err
		}
		return b.mark(ctx, c, run)
	})
}

// locked waits until it is alone with the mark: a session whose client is gone may still
// be about to make one.
func (b Borrowing) locked(ctx context.Context, c *sql.Conn) error {
	if b.Lock == "" {
		return nil
	}
	var got sql.NullInt64
	err := c.QueryRowContext(ctx, b.Lock).Scan(&got)
	if err == nil && got.Int64 != 1 {
		err = errors.New("it did not end in time")
	}
	if err != nil {
		return fmt.Errorf("wait for another session that claims the database or gives it back: %w", err)
	}
	return nil
}

// create makes the mark. It has a primary key: there are servers that refuse tables
// without one.
const create = "create table " + Mark + " (number int not null primary key, kind varchar(20) not null, name varchar(250) not null)"

// first is the number of the mark's row that names the run: no second run can claim the
// same mark.
const first = 1

// mark makes the mark of a run: whoever is interrupted leaves it whole, or not at all.
// Where a table cannot be made in a transaction, it may be left without a row.
func (b Borrowing) mark(ctx context.Context, c *sql.Conn, run string) error {
	t, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err = t.ExecContext(ctx, create); err == nil {
		_, err = t.ExecContext(ctx, b.Insert, first, claimedFor, run)
	}
	if err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}

// claimedFor is the kind of the mark's row that names the run.
const claimedFor = "run"

// DatabaseContents is the contents of a database before a run claims it.
type DatabaseContents struct {
	By   string   // the run whose mark it has, empty where there is none, or where the mark names none
	Rest []Object // what that run did not note
}

// Refuses returns the reason why a run may not claim the database: ErrClaimed or
// ErrNotEmpty. A run without a name has left no mark.
func (h DatabaseContents) Refuses(run string, takeOver bool) error {
	if h.By != "" && h.By != run && !takeOver {
		return fmt.Errorf("%w: %s; when that is over, set take_over: true beside existing.servers", ErrClaimed, h.By)
	}
	if len(h.Rest) > 0 {
		return fmt.Errorf("%w: it holds %s; give the run a database of its own", ErrNotEmpty, list(h.Rest))
	}
	return nil
}

// Contents connects and examines the contents of a database; it changes nothing.
func (b Borrowing) Contents(ctx context.Context, e endpoint.Endpoint) (h DatabaseContents, err error) {
	err = b.with(ctx, e, func(c *sql.Conn) error {
		h, err = b.contents(ctx, c)
		return err
	})
	return h, err
}

func (b Borrowing) contents(ctx context.Context, c *sql.Conn) (h DatabaseContents, err error) {
	there, marked, err := b.look(ctx, c)
	if err != nil || !marked {
		return DatabaseContents{Rest: there}, err
	}
	noted, err := rows(ctx, c)
	return DatabaseContents{By: claimedBy(noted), Rest: without(there, noted)}, err
}

// without lists the objects that are not among the others.
func without(all, others []Object) []Object {
	return slices.DeleteFunc(all, func(o Object) bool { return slices.Contains(others, o) })
}

// claimedBy is the run that a mark's rows name. A mark without any row is nobody's: who
// made it ended before it had its first, and so before anything else was made.
func claimedBy(rows []Object) string {
	if len(rows) == 0 {
		return ""
	}
	for _, r := range rows {
		if r.Kind == claimedFor {
			return r.Name
		}
	}
	return "an unknown run"
}

// rows returns the rows of the mark.
func rows(ctx context.Context, c *sql.Conn) ([]Object, error) {
	return query(ctx, c, "select kind, name from "+Mark)
}

// Note implements Borrower.
func (b Borrowing) Note(ctx context.Context, e endpoint.Endpoint) error {
	return b.with(ctx, e, func(c *sql.Conn) error {
		all, err := b.objects(ctx, c)
		if err == nil {
			_, err = c.ExecContext(ctx, b.Insert, first+1, hasNoted, "")
		}
		for n, o := range all {
			if err == nil {
				_, err = c.ExecContext(ctx, b.Insert, first+2+n, o.Kind, o.Name)
			}
		}
		return err
	})
}

// Release implements Borrower.
func (b Borrowing) Release(ctx context.Context, e endpoint.Endpoint, run string) error {
	var dropped []Object
	err := b.with(ctx, e, func(c *sql.Conn) (err error) {
		dropped, err = b.giveBack(ctx, c, run)
		return err
	})
	if err != nil {
		return err
	}
	return b.with(ctx, e, func(c *sql.Conn) error { return b.isGone(ctx, c, run, dropped) })
}

// giveBack drops a run's noted objects, and its mark, and lists the objects.
func (b Borrowing) giveBack(ctx context.Context, c *sql.Conn, run string) (dropped []Object, err error) {
	if err := b.locked(ctx, c); err != nil {
		return nil, err
	}
	left, marked, err := b.look(ctx, c)
	if err != nil || !marked {
		return nil, err
	}
	noted, err := rows(ctx, c)
	if err != nil {
		return nil, err
	}
	if by := claimedBy(noted); by != "" && by != run {
		return nil, fmt.Errorf("%w: %s", ErrClaimed, by)
	}
	if len(noted) <= 1 && len(left) > 0 {
		return nil, fmt.Errorf("%w: %s was made after the run had claimed the database, and the run ended before it noted that as its own; drop what is the run's, and then clean again", ErrUnnoted, list(left))
	}
	return b.release(ctx, c)
}

// isGone checks in another session that a run's objects no longer exist.
func (b Borrowing) isGone(ctx context.Context, c *sql.Conn, run string, dropped []Object) error {
	left, marked, err := b.look(ctx, c)
	if err != nil {
		return err
	}
	if marked {
		noted, err := rows(ctx, c)
		if err != nil {
			return err
		}
		if by := claimedBy(noted); by != "" && by != run {
			return nil // it is another's by now
		}
		left = append(left, Object{"table", Mark})
		dropped = append(dropped, Object{"table", Mark})
	}
	still := slices.DeleteFunc(left, func(o Object) bool { return !slices.Contains(dropped, o) })
	if len(still) > 0 {
		return fmt.Errorf("%s was dropped and is there again: %s", list(still), ByHand)
	}
	return nil
}

// hasNoted is the kind of the row of the mark that is written once everything the run made
// is noted.
const hasNoted = "noted"

func (b Borrowing) with(ctx context.Context, e endpoint.Endpoint, do func(*sql.Conn) error) error {
	db, err := b.Open(e)
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(do(c), c.Close())
	}
	if err != nil && b.Gone(err) {
		err = fmt.Errorf("%w: %w", ErrNoDatabase, err)
	}
	if err != nil {
		return fmt.Errorf("use database %q at %s: %w", endpoint.Database(e), e.Address, err)
	}
	return nil
}

// release drops the objects that the mark lists, if there is one, and returns them. It
// skips a name that is gone or now belongs to something else.
func (b Borrowing) release(ctx context.Context, c *sql.Conn) (ours []Object, err error) {
	there, marked, err := b.look(ctx, c)
	if err != nil || !marked {
		return nil, err
	}
	noted, err := rows(ctx, c)
	if err != nil {
		return nil, err
	}
	ours = slices.DeleteFunc(there, func(o Object) bool { return !slices.Contains(noted, o) })
	for _, statement := range append(b.Drop(ours), "drop table "+Mark) {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return ours, nil
}

// objects lists the objects of the database besides the mark.
func (b Borrowing) objects(ctx context.Context, c *sql.Conn) ([]Object, error) {
	all, _, err := b.look(ctx, c)
	return all, err
}

func (b Borrowing) look(ctx context.Context, c *sql.Conn) (all []Object, marked bool, err error) {
	all, err = query(ctx, c, b.Objects)
	isMark := func(o Object) bool {
		return o.Kind == "table" && strings.Trim(o.Name[strings.LastIndex(o.Name, ".")+1:], "`\"[]") == Mark
	}
	marked = slices.ContainsFunc(all, isMark)
	return slices.DeleteFunc(all, isMark), marked, err
}

func query(ctx context.Context, c *sql.Conn, text string) (all []Object, err error) {
	rows, err := c.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var o Object
		if err := rows.Scan(&o.Kind, &o.Name); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, rows.Err()
}

// list names the first objects of many.
func list(all []Object) string {
	const shown = 5
	var names []string
	for _, o := range all[:min(shown, len(all))] {
		names = append(names, o.Kind+" "+o.Name)
	}
	text := strings.Join(names, ", ")
	if len(all) > shown {
		text += fmt.Sprintf(" and %d more", len(all)-shown)
	}
	return text
}

// Names lists the objects of a kind.
func Names(all []Object, kind string) (names []string) {
	for _, o := range all {
		if o.Kind == kind {
			names = append(names, o.Name)
		}
	}
	return names
}
