package session

import (
	"context"
	"time"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
)

// orderLimit is how long an order may take before it fails and the connection
// counts as lost. It is far above any response time worth measuring.
const orderLimit = 10 * time.Minute

// session implements workload.Session.
type session struct {
	conn       wire.Conn
	statements *statements
	dialect    *dialect
	config     Config
	random     data.Rand
	batch      wire.Batch
	cart       cart
	receipt    []byte // for reuse

	watched   context.Context
	stopWatch func() bool
}

var _ workload.Session = (*session)(nil)

// Do plays one whole session of the shop: log in or register, browse,
// purchase; and if something was out of stock, order more of it.
func (s *session) Do(ctx context.Context, rec workload.Recorder) error {
	s.watch(ctx)
	begin := time.Now()
	if err := s.conn.SetDeadline(begin.Add(orderLimit)); err != nil {
		return observed(rec, Order, begin, workload.Failed, err)
	}
	outcome, err := s.order(rec)
	if err := observed(rec, Order, begin, outcome, err); err != nil {
		return err
	}
	if outcome == workload.RolledBack {
		return s.timed(rec, Restock, (*session).restock)
	}
	return nil
}

func (s *session) order(rec workload.Recorder) (workload.Outcome, error) {
	customer, err := s.arrive(rec)
	if err != nil {
		return workload.Failed, err
	}
	for range s.upTo(s.config.Searches) {
		if err := s.timed(rec, Browse, (*session).browse); err != nil {
			return workload.Failed, err
		}
	}
	begin := time.Now()
	outcome, err := s.purchase(rec, customer)
	return outcome, observed(rec, Purchase, begin, outcome, err)
}

// arrive gives the customer who has logged in or registered.
func (s *session) arrive(rec workload.Recorder) (customer int64, err error) {
	begin := time.Now()
	if s.random.Float64() < s.config.NewCustomers {
		customer, err = s.register()
		return customer, observed(rec, NewCustomer, begin, workload.Done, err)
	}
	customer, err = s.login()
	return customer, observed(rec, Login, begin, workload.Done, err)
}

// timed performs and observes an operation that is done or fails.
func (s *session) timed(rec workload.Recorder, operation int, perform func(*session) error) error {
	begin := time.Now()
	return observed(rec, operation, begin, workload.Done, perform(s))
}

// observed reports an operation that ends now and passes its error on.
func observed(rec workload.Recorder, operation int, begin time.Time, outcome workload.Outcome, err error) error {
	if err != nil {
		outcome = workload.Failed
	}
	rec.Observe(operation, begin, time.Since(begin), outcome)
	return err
}

// upTo draws from 1..2*mean-1, all equally likely.
func (s *session) upTo(mean int) int { return int(s.random.Between(1, 2*int64(mean)-1)) }

// perform performs the batch that has been filled.
func (s *session) perform() (*wire.Results, error) { return s.conn.Do(&s.batch) }

// watch has the connection interrupted when the context ends. Drivers pass the
// same context for every order, so this costs nothing.
func (s *session) watch(ctx context.Context) {
	if ctx == s.watched {
		return
	}
	s.stopWatch()
	s.watched, s.stopWatch = ctx, context.AfterFunc(ctx, s.conn.Interrupt)
}

// Broken implements workload.Session.
func (s *session) Broken() bool { return s.conn.Broken() }

// Close implements workload.Session.
func (s *session) Close() error {
	s.stopWatch()
	return s.conn.Close()
}
