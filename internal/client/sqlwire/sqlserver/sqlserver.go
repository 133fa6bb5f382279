// Package sqlserver is a connection to Microsoft SQL Server by its library,
// microsoft/go-mssqldb: each statement is an exchange of its own, sent with its
// arguments (sp_executesql), for which the server keeps the plan. It was never run
// against a real server by us.
package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/microsoft/go-mssqldb"

	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// conn is one connection.
type conn struct {
	library     library
	socket      net.Conn
	results     sqlwire.Results
	texts       []byte // of the results
	arguments   []driver.NamedValue
	row         []driver.Value
	broken      bool
	interrupted atomic.Bool
}

// library is the part of *mssql.Conn that is used.
type library interface {
	driver.Conn
	driver.Validator
}

// statement is what performs a prepared statement.
type statement struct {
	library driver.Stmt
	gives   bool // rows
}

// Open connects to an endpoint and authenticates.
func Open(ctx context.Context, t endpoint.Endpoint) (sqlwire.Conn, error) {
	d := &dialer{}
	connector, err := sqlconn.SQLServer(t, d)
	if err != nil {
		return nil, err
	}
	c, err := connector.Connect(ctx)
	if err != nil {
		return nil, sqlwire.NotConnected(t, err, refusal(err))
	}
	return &conn{library: c.(*mssql.Conn), socket: d.conn}, nil // the connector's always are
}

// dialer keeps the socket, whose deadlines end a call that waits.
type dialer struct{ conn net.Conn }

// DialContext implements mssql.Dialer. The library calls it again where a server sends it
// on to another one.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	d.conn = c
	return c, err
}

// refusal is what the server said when it did not let a connection in, nil where it
// said nothing.
func refusal(err error) *sqlwire.Error {
	if e, ok := errors.AsType[mssql.Error](err); ok {
		answer := answered(e, "")
		answer.Fatal = true
		return answer
	}
	return nil
}

// answered is a server's error.
func answered(e mssql.Error, sql string) *sqlwire.Error {
	return classed(&sqlwire.Error{Number: int(e.Number), Message: e.Message, SQL: sql})
}

// Prepare implements sqlwire.Conn. The server does not see the statement before it is
// performed.
func (c *conn) Prepare(sql string) (*sqlwire.Statement, error) {
	text, parameters := parameterNames(sql)
	s, err := c.library.Prepare(text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return sqlwire.NewStatement(sql, parameters, &statement{library: s, gives: givesRows(text)}), nil
}

// parameterNames turns $1, $2, ... into @p1, @p2, ... and gives the highest number.
func parameterNames(sql string) (text string, highest int) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(sql, "$")
		b.WriteString(before)
		if !found {
			return b.String(), highest
		}
		n := 0
		for sql = after; sql != "" && '0' <= sql[0] && sql[0] <= '9'; sql = sql[1:] {
			n = 10*n + int(sql[0]-'0')
		}
		fmt.Fprintf(&b, "@p%d", n)
		highest = max(highest, n)
	}
}

// givesRows reports whether a statement answers with rows.
func givesRows(sql string) bool {
	return strings.HasPrefix(sql, "select ") || strings.Contains(sql, " output inserted.")
}

// Do implements sqlwire.Conn: one statement after the other, up to the first error.
func (c *conn) Do(b *sqlwire.Batch) (*sqlwire.Results, error) {
	c.results.Reset()
	c.texts = c.texts[:0]
	for i := range b.Len() {
		if failed, err := c.perform(b, i); err != nil {
			return nil, err
		} else if failed {
			c.results.Skip(b.Len())
			break
		}
	}
	c.results.KeepTexts(c.texts)
	return &c.results, c.results.FirstError()
}

// perform performs statement i; failed says that the server refused it.
func (c *conn) perform(b *sqlwire.Batch, i int) (failed bool, err error) {
	if c.interrupted.Load() {
		return false, c.lost(net.ErrClosed)
	}
	values, err := b.Arguments(i)
	if err != nil {
		return false, err
	}
	c.arguments = c.arguments[:0]
	for at, v := range values {
		c.arguments = append(c.arguments, driver.NamedValue{Ordinal: at + 1, Value: argument(b, v)})
	}
	c.results.Begin(0)
	s := b.Statement(i).Prepared.(*statement)
	if s.gives {
		err = c.query(s)
	} else {
		err = c.execute(s)
	}
	if answer, ok := errors.AsType[mssql.Error](err); ok {
		e := answered(answer, b.Statement(i).SQL())
		e.Fatal = c.Broken()
		c.results.Last().Err = e
		return true, nil
	}
	if err != nil {
		return false, c.lost(err)
	}
	return false, nil
}

// execute performs a statement that gives no rows.
func (c *conn) execute(s *statement) error {
	r, err := s.library.(driver.StmtExecContext).ExecContext(context.Background(), c.arguments)
	if err != nil {
		return err
	}
	c.results.Last().Affected, err = r.RowsAffected()
	return err
}

// query performs a statement and reads its rows.
func (c *conn) query(s *statement) (err error) {
	rows, err := s.library.(driver.StmtQueryContext).QueryContext(context.Background(), c.arguments)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	c.row = append(c.row[:0], make([]driver.Value, len(rows.Columns()))...)
	a := c.results.Last()
	a.Columns = len(c.row)
	for {
		switch err := rows.Next(c.row); {
		case errors.Is(err, io.EOF):
			a.Affected = int64(a.Rows)
			return nil
		case err != nil:
			return err
		}
		for _, v := range c.row {
			c.results.Add(c.cell(v))
		}
		a.Rows++
	}
}

// lost returns the error of a broken connection. The library hides the error that it got
// from the socket.
func (c *conn) lost(err error) error {
	c.broken = true
	if stream, ok := errors.AsType[mssql.StreamError](err); ok {
		err = errors.Join(err, stream.InnerError)
	}
	switch {
	case c.interrupted.Load():
		return fmt.Errorf("interrupted: %w", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer within the time limit: %w", err)
	}
	return fmt.Errorf("connection lost: %w", err)
}

// SetDeadline implements sqlwire.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	err := c.socket.SetDeadline(t)
	if c.interrupted.Load() { // a deadline set while Interrupt ran must not undo it
		c.Interrupt()
	}
	return err
}

// Interrupt implements sqlwire.Conn.
func (c *conn) Interrupt() {
	c.interrupted.Store(true)
	_ = c.socket.SetDeadline(time.Unix(1, 0)) // fails only on a closed connection, which needs no interruption
}

// Broken implements sqlwire.Conn.
func (c *conn) Broken() bool { return c.broken || c.interrupted.Load() || !c.library.IsValid() }

// Close implements sqlwire.Conn.
func (c *conn) Close() error { return c.library.Close() }
