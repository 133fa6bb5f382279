// Package wire talks to PostgreSQL and to MariaDB or MySQL with as little CPU
// as the protocols allow, so that a driver can load a database without being
// what is measured. It takes a endpoint.Endpoint and gives a Conn: statements
// are prepared once, queued into a Batch with their arguments and performed
// together with one write and as few reads as the answers need.
//
// Libraries do the connecting and authenticating (jackc/pgx's pgconn and
// go-sql-driver/mysql); after that the package owns the socket and writes the
// frames itself, without allocating for a statement. The protocols are
// described in the PostgreSQL manual, chapter "Frontend/Backend Protocol", and
// in the MariaDB documentation, "Client/Server Protocol".
package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/sqlconn"
)

// Conn is one connection. One goroutine uses it at a time; only Interrupt may
// be called from another.
type Conn interface {
	// Prepare prepares a statement; parameters are written $1, $2, ... on
	// every engine and may be used more than once.
	Prepare(sql string) (*Statement, error)
	// Do performs the statements of a batch in order and waits for all
	// answers, which stay valid until the next call. The error is the first
	// one of any statement, an *Error if it came from the server; what happens
	// after it in the same batch depends on the engine: PostgreSQL skips all
	// further statements, MariaDB performs them. A batch is written before
	// anything is read, so it must fit the socket's buffer: keep it below
	// 64 KiB.
	Do(b *Batch) (*Results, error)
	// SetDeadline makes calls fail that are not done by t; the zero time is no
	// deadline. It costs no system call. A call that failed so has broken the
	// connection.
	SetDeadline(t time.Time) error
	// Interrupt makes the running call and all later ones fail.
	Interrupt()
	// Broken says that the connection can no longer be used.
	Broken() bool
	// Close tells the server and closes the socket.
	Close() error
}

// Kinds of endpoints that Open knows.
const (
	Postgres = "sql:postgres"
	MariaDB  = "sql:mariadb"
)

// Open connects to an endpoint and authenticates. Without TLS the package reads and
// writes the socket itself; with it every message takes the library's way.
func Open(ctx context.Context, t endpoint.Endpoint) (Conn, error) {
	switch t.Kind {
	case Postgres:
		return openPostgres(ctx, t)
	case MariaDB:
		return openMariaDB(ctx, t)
	}
	return nil, fmt.Errorf("connect to %s: no protocol for endpoints of kind %q; known: %s, %s", t.Address, t.Kind, Postgres, MariaDB)
}

// Error is what a server answered instead of a result.
type Error struct {
	State   string // SQLSTATE, five characters
	Number  int    // MariaDB's error number; 0 on PostgreSQL
	Message string
	SQL     string // of the statement, empty while connecting
	Fatal   bool   // the server ends the connection
}

// Error gives the message with its codes and the statement.
func (e *Error) Error() string {
	code := e.State
	if e.Number != 0 {
		code = fmt.Sprintf("%d, %s", e.Number, e.State)
	}
	if e.SQL == "" {
		return fmt.Sprintf("%s (%s)", e.Message, code)
	}
	return fmt.Sprintf("%s (%s) in %q", e.Message, code, e.SQL)
}

// refused is a connection that the server did not let in.
type refused struct {
	error
	answer *Error
}

// Unwrap gives what was tried, and what the server answered.
func (r refused) Unwrap() []error { return []error{r.error, r.answer} }

// notConnected is the error of a connection that could not be made, of the class of the
// server's answer if there was one.
func notConnected(t endpoint.Endpoint, err error, answer *Error) error {
	failed := sqlconn.Failed(t, err)
	if answer == nil {
		return failed
	}
	return refused{failed, answer}
}

// errSkipped is the error of statements that PostgreSQL did not perform.
var errSkipped = errors.New("skipped because a statement before it failed")

// Duplicate says that a unique index refused the row.
func (e *Error) Duplicate() bool { return e.State == "23505" || e.Number == 1062 }
