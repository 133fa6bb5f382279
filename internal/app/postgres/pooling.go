package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"plimsoll/internal/describe/endpoint"
)

// sharesSessions is the reason why a run cannot use an address.
const sharesSessions = "a connection pooler answers there that shares sessions between clients (transaction pooling): prepared statements and settings of one user would be those of another; " +
	"name the server itself, or a pool in session mode"

// Bounds of the probe of a pooler.
const (
	mostPooled   = 100             // connections that are tried
	poolPatience = 2 * time.Second // for each: one that there is no connection for makes its client wait
)

// pool is what answers in a server's place.
type pool struct {
	shared  bool // a session is one client's for a transaction only
	bounded bool // it gives fewer connections than were tried
	gives   int
}

// pooling finds out whether a pooler answers: it gives a client another key to cancel
// queries by than the server process that serves it has (manual, "Canceling Requests in
// Progress"). What only forwards the connection gives the process's own.
func pooling(ctx context.Context, conn *pgconn.PgConn, e endpoint.Endpoint) (p pool, err error) {
	served, err := servedBy(ctx, conn)
	if err != nil || served == conn.PID() {
		return p, err
	}
	all := []*pgconn.PgConn{conn}
	defer func() {
		for _, c := range all[1:] {
			_ = c.Close(ctx)
		}
	}()
	for len(all) < mostPooled && !p.shared {
		c, err := another(ctx, e)
		if err != nil {
			return pool{bounded: true, gives: len(all)}, ctx.Err()
		}
		all = append(all, c)
		if p.shared, err = areShared(ctx, served, conn, c); err != nil {
			return p, err
		}
	}
	return p, nil
}

// another opens one more connection, if the pooler lets it in.
func another(ctx context.Context, e endpoint.Endpoint) (*pgconn.PgConn, error) {
	ctx, cancel := context.WithTimeout(ctx, poolPatience)
	defer cancel()
	c, err := connect(ctx, e)
	if err != nil {
		return nil, err
	}
	if _, err := servedBy(ctx, c); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return c, nil
}

// areShared reports whether a session that is open still has another server process
// than at first, or the one that another session has meanwhile.
func areShared(ctx context.Context, served uint32, first, other *pgconn.PgConn) (bool, error) {
	others, err := servedBy(ctx, other)
	if err != nil || others == served {
		return err == nil, err
	}
	for range 2 { // two that take turns serve every second query alike
		if now, err := servedBy(ctx, first); err != nil || now != served {
			return err == nil, err
		}
	}
	return false, nil
}

// servedBy is the server process that performs a connection's queries.
func servedBy(ctx context.Context, c *pgconn.PgConn) (uint32, error) {
	answer, err := ask(ctx, c, "select pg_backend_pid()")
	if err != nil {
		return 0, err
	}
	if len(answer) != 1 {
		return 0, errors.New("pg_backend_pid() gave no number")
	}
	n, err := strconv.ParseUint(answer[0], 10, 32)
	return uint32(n), err
}
