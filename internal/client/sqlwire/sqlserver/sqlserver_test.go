package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/client/sqlwire"
)

// There is no server to test with. These stand for the library, whose answers are given.
type fakeLibrary struct {
	answers map[string]answer // by statement, as the library is given it
	sent    []string          // with their arguments
}

type answer struct {
	rows     [][]driver.Value
	affected int64
	err      error
}

func (f *fakeLibrary) Prepare(sql string) (driver.Stmt, error) { return fakeStatement{f, sql}, nil }
func (f *fakeLibrary) Begin() (driver.Tx, error)               { return nil, driver.ErrSkip }
func (f *fakeLibrary) Close() error                            { return nil }
func (f *fakeLibrary) IsValid() bool                           { return true }

type fakeStatement struct {
	of  *fakeLibrary
	sql string
}

func (s fakeStatement) Close() error                               { return nil }
func (s fakeStatement) NumInput() int                              { return -1 }
func (s fakeStatement) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (s fakeStatement) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

func (s fakeStatement) answer(args []driver.NamedValue) answer {
	text := s.sql
	for _, a := range args {
		text += fmt.Sprintf(" @p%d=%T(%v)", a.Ordinal, a.Value, a.Value)
	}
	s.of.sent = append(s.of.sent, text)
	return s.of.answers[s.sql]
}

func (s fakeStatement) ExecContext(_ context.Context, args []driver.NamedValue) (driver.Result, error) {
	a := s.answer(args)
	return driver.RowsAffected(a.affected), a.err
}

func (s fakeStatement) QueryContext(_ context.Context, args []driver.NamedValue) (driver.Rows, error) {
	a := s.answer(args)
	return &fakeRows{rows: a.rows}, a.err
}

type fakeRows struct{ rows [][]driver.Value }

func (r *fakeRows) Close() error { return nil }

func (r *fakeRows) Columns() []string {
	if len(r.rows) == 0 {
		return nil
	}
	return make([]string, len(r.rows[0]))
}

func (r *fakeRows) Next(into []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(into, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

func opened(t *testing.T, answers map[string]answer) (*conn, *fakeLibrary) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	f := &fakeLibrary{answers: answers}
	return &conn{library: f, socket: near}, f
}

func prepare(t *testing.T, c *conn, sql string) *sqlwire.Statement {
	t.Helper()
	s, err := c.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestValuesGoAndComeAsTheyAre(t *testing.T) {
	const found, sold = "select price, id from P where a = @p1 and b in (@p2, @p1)", "update I set n = n - @p1 where u = @p2"
	c, library := opened(t, map[string]answer{
		found: {rows: [][]driver.Value{
			{[]byte("19.99"), int64(7), nil, "text", true, time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)},
			{[]byte("0.50"), int64(-1), int64(0), "", false, time.Date(2026, 11, 27, 3, 4, 5, 0, time.UTC)},
		}},
		sold: {affected: 1},
	})
	b := new(sqlwire.Batch).Call(prepare(t, c, "select price, id from P where a = $1 and b in ($2, $1)")).Int(5).Int(1 << 40).
		Call(prepare(t, c, "update I set n = n - $1 where u = $2")).Int(-3).Text("user17")
	r, err := c.Do(b)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{found + " @p1=int32(5) @p2=int64(1099511627776)", sold + " @p1=int32(-3) @p2=mssql.VarChar(user17)"}
	if !slices.Equal(library.sent, want) {
		t.Errorf("sent %q, want %q", library.sent, want)
	}
	if r.Rows(0) != 2 || r.Columns(0) != 6 || r.Affected(1) != 1 || r.Rows(1) != 0 {
		t.Errorf("%d rows of %d, %d affected", r.Rows(0), r.Columns(0), r.Affected(1))
	}
	for column, want := range []string{"19.99", "", "", "text", "", "2026-11-27"} {
		if got := string(r.Text(0, 0, column)); got != want {
			t.Errorf("column %d is %q, want %q", column, got, want)
		}
	}
	if got := []int64{r.Int(0, 0, 1), r.Int(0, 0, 2), r.Int(0, 0, 4), r.Int(0, 1, 1)}; !slices.Equal(got, []int64{7, 0, 1, -1}) {
		t.Errorf("numbers are %v", got)
	}
	if got := string(r.Text(0, 1, 5)); got != "2026-11-27 03:04:05" {
		t.Error(got)
	}
}

// As on PostgreSQL, nothing is performed after an error, which has ended the transaction.
func TestABatchEndsWithTheFirstError(t *testing.T) {
	c, library := opened(t, map[string]answer{"insert into C (u) output inserted.id values (@p1)": {err: mssql.Error{Number: 2627, Message: "duplicate"}}})
	insert, commit := prepare(t, c, "insert into C (u) output inserted.id values ($1)"), prepare(t, c, "commit transaction")
	_, err := c.Do(new(sqlwire.Batch).Call(insert).Text("a").Call(commit))
	e, ok := errors.AsType[*sqlwire.Error](err)
	if !ok || !e.Duplicate || e.Number != 2627 || e.Fatal || c.Broken() {
		t.Errorf("%+v, %v", e, err)
	}
	if len(library.sent) != 1 || c.results.Begun() != 2 || c.results.Err(1) == nil {
		t.Errorf("sent %q, %d answers", library.sent, c.results.Begun())
	}
}

func TestABrokenConnectionSaysWhy(t *testing.T) {
	late := fmt.Errorf("read: %w", os.ErrDeadlineExceeded)
	for name, test := range map[string]error{"as it is": late, "hidden by the library": mssql.StreamError{InnerError: late}} {
		c, _ := opened(t, map[string]answer{"select 1": {err: test}})
		if _, err := c.Do(new(sqlwire.Batch).Call(prepare(t, c, "select 1"))); !errors.Is(err, os.ErrDeadlineExceeded) || !c.Broken() {
			t.Errorf("%s: %v, broken %v", name, err, c.Broken())
		}
	}
	c, library := opened(t, nil)
	c.Interrupt()
	if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(new(sqlwire.Batch).Call(prepare(t, c, "select 1"))); err == nil || !c.Broken() || len(library.sent) != 0 {
		t.Errorf("interrupted: %v, sent %q", err, library.sent)
	}
	if _, err := c.socket.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a deadline undid the interruption: %v", err)
	}
}
