// Package sqlwire defines the connections to SQL servers. They cost as little CPU as the
// protocols allow, so that a driver can load a database without becoming the bottleneck.
// Package dial makes a Conn from an endpoint.Endpoint. Statements are prepared once, queued
// into a Batch with their arguments and executed together, with one write and as few reads
// as the answers need.
//
// The protocols are the packages below: postgres, mariadb (MySQL's, too), and sqlserver,
// which uses its library and executes one statement at a time. Libraries connect and
// authenticate (jackc/pgx's pgconn and go-sql-driver/mysql). After that the packages own
// the socket and write the frames themselves, without allocating memory for a statement.
package sqlwire

import (
	"time"
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
	// further statements, and so does SQL Server's connection; MariaDB performs them. A batch is written before
	// anything is read, so it must fit the socket's buffer: keep it below
	// 64 KiB.
	Do(b *Batch) (*Results, error)
	// SetDeadline makes calls fail that are not done by t; the zero time is no
	// deadline. It costs no system call. A call that failed so has broken the
	// connection.
	SetDeadline(t time.Time) error
	// Interrupt makes the running call and all later ones fail.
	Interrupt()
	// Broken reports whether the connection can no longer be used.
	Broken() bool
	// Close tells the server and closes the socket.
	Close() error
}

// Kinds of endpoints that are connected to.
const (
	Postgres  = "sql:postgres"
	MariaDB   = "sql:mariadb"
	SQLServer = "sql:sqlserver"
)
