// Package sqlshop reaches a DVD Store by SQL statements: it implements
// session.Shop on a connection to a database that package dvdstore loaded (or
// any other loader of DVD Store of the same size).
//
// Statements that do not need each other's answers travel together: the titles
// of the last products bought, the prices of a cart, and all that an order
// writes. About 29 statements of an order (35 in version 3) so take about nine
// round trips (15); the server performs the same statements as if they came one
// by one.
package sqlshop

import (
	"context"
	"fmt"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/dvdstore/session"
)

// Shop implements session.Shop and session.Restocker.
type Shop struct {
	conn       sqlwire.Conn
	statements *statements
	dialect    *dialect
	batch      sqlwire.Batch
}

var (
	_ session.Shop      = (*Shop)(nil)
	_ session.Restocker = (*Shop)(nil)
)

// Open connects to a database of a version of DVD Store.
func Open(ctx context.Context, e endpoint.Endpoint, version int) (*Shop, error) {
	d, err := dialectOf(e.Kind)
	if err != nil {
		return nil, err
	}
	conn, err := dial.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	s, err := prepare(conn, d, version)
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("prepare the statements of a DVD Store session (is the database loaded?): %w", err)
	}
	return &Shop{conn: conn, statements: s, dialect: d}, nil
}

// perform performs the batch that has been filled.
func (s *Shop) perform() (*sqlwire.Results, error) { return s.conn.Do(&s.batch) }

// SetDeadline implements session.Shop.
func (s *Shop) SetDeadline(t time.Time) error { return s.conn.SetDeadline(t) }

// Interrupt implements session.Shop.
func (s *Shop) Interrupt() { s.conn.Interrupt() }

// Broken implements session.Shop.
func (s *Shop) Broken() bool { return s.conn.Broken() }

// Close implements session.Shop.
func (s *Shop) Close() error { return s.conn.Close() }
