// Package session is one user of sysbench's OLTP tables: on one connection it performs
// transactions of point selects, range selects, updates, deletes and inserts, over and
// over. It takes an endpoint whose database package oltp or sysbench prepared, and reports
// operations and receipts to a workload.Recorder.
//
// Statements are prepared and sent one at a time, each after the answer to the one before,
// as sysbench does, so results are comparable.
package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/receipt"
)

// unitLimit is how long a transaction may take before it fails and the
// connection counts as lost. It is far above any response time worth measuring.
const unitLimit = 10 * time.Minute

// Config is what a session must know of the data set and of the users.
type Config struct {
	Steps     []Step // of a transaction, in order
	Explicit  bool   // between BEGIN and COMMIT; else each statement by itself
	Tables    int
	TableSize int64 // rows of each table: keys are drawn from 1 to it
	RangeSize int64 // rows that a range select asks for
	Reconnect int   // transactions after which to connect again; 0 is never
	Keys      data.Distribution
}

// session implements workload.Session.
type session struct {
	config     *Config
	endpoint   endpoint.Endpoint
	conn       sqlwire.Conn
	statements statements
	operations [kinds]int // place of each kind among the names
	random     *rand.Rand
	batch      sqlwire.Batch
	since      int // transactions since the connection was made

	stamp   data.Stamp // of the running transaction
	texts   data.Writer
	table   int   // of the running statement
	key     int64 // of the running statement
	addC    func([]byte) []byte
	addPad  func([]byte) []byte
	receipt receipt.Receipt
	encoded []byte

	watch workload.Watch
}

var _ workload.Session = (*session)(nil)

// Open connects user number `user` of an instance and makes sure that its tables
// are sysbench's. seed decides everything that the user does.
func Open(ctx context.Context, instance int, e endpoint.Endpoint, c *Config, user int, seed uint64) (workload.Session, error) {
	conn, err := dial.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := check(conn, e, c); err != nil {
		_ = conn.Close() // the error before counts
		return nil, fmt.Errorf("database %s: %w", endpoint.Database(e), err)
	}
	s := &session{
		config: c, endpoint: e, conn: conn, operations: places(c),
		random: rand.New(rand.NewPCG(seed, uint64(user))),
		stamp:  data.Stamp{Instance: instance % (data.MaxInstance + 1), User: user % (data.MaxUser + 1)},
		texts:  data.NewWriter(),
	}
	s.addC = func(b []byte) []byte { return s.texts.AppendC(b, s.stamp, s.table, s.key) }
	s.addPad = func(b []byte) []byte { return s.texts.AppendPad(b, s.stamp, s.table, s.key) }
	return s, nil
}

// Do performs one transaction.
func (s *session) Do(ctx context.Context, rec workload.Recorder) error {
	if err := s.reconnect(ctx, rec); err != nil {
		return err
	}
	s.watch.Over(ctx, s.conn)
	begin := workload.Now()
	if err := s.conn.SetDeadline(begin.Add(unitLimit)); err != nil {
		rec.Observe(Transaction, begin, time.Since(begin), workload.Failed)
		return err
	}
	s.begin(begin)
	outcome, err := s.transaction(rec)
	rec.Observe(Transaction, begin, time.Since(begin), outcome)
	return err
}

// begin gives the transaction a number that none before it had.
func (s *session) begin(at time.Time) {
	s.stamp.Number = max(s.stamp.Number+1, micros(at))
	s.receipt = receipt.Receipt{User: s.stamp.User, Number: s.stamp.Number, Writes: s.receipt.Writes[:0]}
}

// micros is a moment that workload.Now gave in microseconds since 1970.
func micros(t time.Time) int64 { return t.UnixMicro() }

// reconnect connects again after so many transactions as were asked for.
func (s *session) reconnect(ctx context.Context, rec workload.Recorder) error {
	s.since++
	if s.config.Reconnect == 0 || s.since <= s.config.Reconnect {
		return nil
	}
	begin := time.Now()
	err := s.connect(ctx)
	rec.Observe(s.operations[reconnection], begin, time.Since(begin), workload.OutcomeOf(err))
	return err
}

// connect replaces the connection; when that fails, the closed one stays, which
// is broken.
func (s *session) connect(ctx context.Context) error {
	if err := s.Close(); err != nil {
		return err
	}
	conn, err := dial.Open(ctx, s.endpoint)
	if err != nil {
		return err
	}
	s.watch.End()
	s.conn, s.statements, s.since = conn, nil, 1
	return nil
}

// Broken implements workload.Session.
func (s *session) Broken() bool { return s.conn.Broken() }

// Close implements workload.Session.
func (s *session) Close() error {
	s.watch.End()
	return s.conn.Close()
}
