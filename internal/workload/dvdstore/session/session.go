package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
)

// orderLimit is how long an order may take before it fails and the connection
// counts as lost. It is far above any response time worth measuring.
const orderLimit = 10 * time.Minute

// Session implements workload.Session: one user of a shop.
type Session struct {
	shop     Shop
	restocks Restocker // nil when the shop restocks by itself
	index    [operations]int
	config   Config
	random   data.Rand
	rec      workload.Recorder // of the order under way
	customer int64             // who has logged in or registered
	newcomer data.Customer
	cart     Cart
	seen     []int64 // reviews that the customer was shown
	review   Review
	receipt  []byte // for reuse

	watch workload.Watch
}

var _ workload.Session = (*Session)(nil)

// New makes a user of a shop, which the session closes. seed decides everything
// that the user does.
func New(shop Shop, c Config, seed uint64) *Session {
	restocks, ok := shop.(Restocker)
	return &Session{
		shop: shop, restocks: restocks, index: indices(Operations(c.Version, ok)),
		config: c, random: data.NewRand(seed),
	}
}

// Do plays one whole session of the shop: log in or register, browse, in
// version 3 take part in reviewing, purchase; and if something was out of
// stock, order more of it.
func (s *Session) Do(ctx context.Context, rec workload.Recorder) error {
	s.watch.Over(ctx, s.shop)
	s.rec = rec
	begin := workload.Now()
	if err := s.shop.SetDeadline(begin.Add(orderLimit)); err != nil {
		return s.observed(Order, begin, workload.Failed, err)
	}
	outcome, err := s.order()
	if err := s.observed(Order, begin, outcome, err); err != nil {
		return err
	}
	if outcome == workload.RolledBack && s.restocks != nil {
		return s.timed(Restock, (*Session).restock)
	}
	return nil
}

func (s *Session) order() (workload.Outcome, error) {
	if err := s.arrive(); err != nil {
		return workload.Failed, err
	}
	for range s.upTo(s.config.Searches) {
		if err := s.timed(Browse, (*Session).browse); err != nil {
			return workload.Failed, err
		}
	}
	if s.config.Version >= 3 {
		if err := s.takePart(); err != nil {
			return workload.Failed, err
		}
	}
	begin := workload.Now()
	outcome, err := s.purchase()
	return outcome, s.observed(Purchase, begin, outcome, err)
}

// arrive logs a customer in or registers one.
func (s *Session) arrive() error {
	if s.happens(s.config.NewCustomers) {
		return s.timed(NewCustomer, (*Session).register)
	}
	return s.timed(Login, (*Session).login)
}

func (s *Session) login() (err error) {
	if s.customer, err = s.shop.Login(s.random.Between(1, s.config.Customers)); err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	return nil
}

// maxNewUser bounds the numbers of new users: drawn at random, so that drivers
// need not agree on them, from so many that hardly any is taken.
const maxNewUser = 1_000_000_000

// register makes a new customer under a name that is free.
func (s *Session) register() (err error) {
	s.newcomer = data.NewCustomer(&s.random)
	for {
		s.customer, err = s.shop.Register(&s.newcomer, s.random.Between(1, maxNewUser))
		if errors.Is(err, ErrTaken) {
			continue
		}
		if err != nil {
			return fmt.Errorf("register a new customer: %w", err)
		}
		return nil
	}
}

// browse searches once: by category among the specials, by the family name of
// an actor, or by a word of the title.
func (s *Session) browse() error {
	search := Search{By: SearchKey(s.random.N(3))}
	if search.By == ByCategory {
		search.Category = s.random.Between(1, data.Categories)
	} else {
		search.Word = s.word(search.By)
	}
	search.Limit = int64(s.upTo(s.config.SearchBatchSize))
	if err := s.shop.Browse(s.customer, search); err != nil {
		return fmt.Errorf("browse by %v: %w", search.By, err)
	}
	return nil
}

// word draws what to search for: the family name of an actor, or a word that
// titles are made of.
func (s *Session) word(by SearchKey) string {
	if by == ByActor {
		_, family := data.Actor(s.random.N(data.Actors))
		return family
	}
	return data.TitleWord(s.random.N(data.TitleWords))
}

// purchase fills a cart and orders it. The receipt of an order in doubt says
// so.
func (s *Session) purchase() (workload.Outcome, error) {
	s.cart.fill(&s.random, s.upTo(s.config.LineItems), s.config.Products)
	bill, err := s.shop.Purchase(s.customer, &s.cart)
	if errors.Is(err, ErrSoldOut) {
		return workload.RolledBack, nil
	}
	if written, doubtful := isWritten(err); written {
		r := s.cart.receipt(s.customer, bill)
		r.Doubtful = doubtful
		s.keep(r.Append(s.receipt[:0]))
	}
	return workload.Done, err
}

// isWritten reports whether something is in the database after a call that gave
// this error, and whether that is in doubt.
func isWritten(err error) (written, doubtful bool) {
	doubtful = isInDoubt(err)
	return err == nil || doubtful, doubtful
}

// keep keeps a receipt, and its bytes for the next.
func (s *Session) keep(r []byte) {
	s.receipt = r
	s.rec.Receipt(r)
}

// restock orders more of the films that were out of stock.
func (s *Session) restock() error { return s.restocks.Restock(&s.cart) }

// timed performs and observes an operation that is done or fails.
func (s *Session) timed(o Operation, perform func(*Session) error) error {
	begin := workload.Now()
	return s.observed(o, begin, workload.Done, perform(s))
}

// observed reports an operation that ends now and passes its error on.
func (s *Session) observed(o Operation, begin time.Time, outcome workload.Outcome, err error) error {
	if err != nil {
		outcome = workload.Failed
	}
	s.rec.Observe(s.index[o], begin, time.Since(begin), outcome)
	return err
}

// happens decides on what so large a share of the orders has.
func (s *Session) happens(share float64) bool { return s.random.Float64() < share }

// upTo draws from 1..2*mean-1, all equally likely.
func (s *Session) upTo(mean int) int { return int(s.random.Between(1, 2*int64(mean)-1)) }

// Broken implements workload.Session.
func (s *Session) Broken() bool { return s.shop.Broken() }

// Close implements workload.Session.
func (s *Session) Close() error {
	s.watch.End()
	return s.shop.Close()
}
