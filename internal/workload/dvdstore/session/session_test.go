package session_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
	"plimsoll/internal/workload/dvdstore/session"
)

// shop records the calls to it.
type shop struct {
	asked  hash.Hash
	log    io.Writer // of the same
	taken  bool      // the next user name
	answer error     // to a purchase
	join   error     // to who wants to become a member
	reply  error     // to a review and to a rating
	shown  []int64
	broken atomic.Bool
}

func newShop() *shop { return &shop{asked: sha256.New(), log: io.Discard} }

func (s *shop) ask(what ...any) {
	fmt.Fprintln(io.MultiWriter(s.asked, s.log), what...)
}

func (s *shop) Login(user int64) (int64, error) {
	s.ask("login", user)
	return user, nil
}

func (s *shop) Register(c *data.Customer, user int64) (int64, error) {
	s.ask("register", *c, user)
	if s.taken = !s.taken; s.taken {
		return 0, session.ErrTaken
	}
	return 1, nil
}

func (s *shop) Browse(_ int64, search session.Search) error {
	s.ask("browse", search)
	return nil
}

func (s *shop) Purchase(_ int64, c *session.Cart) (session.Bill, error) {
	s.ask("purchase", *c)
	return session.Bill{Order: 7, Cents: 999}, s.answer
}

func (s *shop) Join(_, level int64) error {
	s.ask("join", level)
	return s.join
}

func (s *shop) BrowseReviews(_ int64, search session.ReviewSearch, found []int64) ([]int64, error) {
	s.ask("browse reviews", search)
	return append(found, s.shown...), nil
}

func (s *shop) GetReviews(_ int64, of session.ProductReviews, found []int64) ([]int64, error) {
	s.ask("get reviews", of)
	return append(found, s.shown...), nil
}

func (s *shop) NewReview(_ int64, r *session.Review) (int64, error) {
	s.ask("review", r.Product, r.Stars, string(r.Opinion.AppendSummary(nil)), string(r.Opinion.AppendText(nil)))
	return 8, s.reply
}

func (s *shop) RateReview(_, review, helpfulness int64) (int64, error) {
	s.ask("rate", review, helpfulness)
	return 9, s.reply
}

func (s *shop) SetDeadline(time.Time) error { return nil }
func (s *shop) Interrupt()                  { s.broken.Store(true) }
func (s *shop) Broken() bool                { return s.broken.Load() }
func (s *shop) Close() error                { return nil }

// restocking is a shop whose users restock.
type restocking struct{ *shop }

func (s restocking) Restock(*session.Cart) error { return nil }

func config() session.Config {
	return session.Config{
		Version: 2, Customers: 20_000, Products: 10_000,
		NewCustomers: 0.2, Searches: 3, SearchBatchSize: 5, LineItems: 5,
		Reviews: 200_000, NewMembers: 0.01, ReviewSearches: 3, SearchDepth: 500, NewReviews: 0.05, NewHelpfulness: 0.1,
	}
}

// notes keeps what sessions report.
type notes struct {
	names    []session.Operation
	observed []string
	receipts []receipt.Receipt
}

func (n *notes) Observe(index int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	n.observed = append(n.observed, fmt.Sprint(n.names[index], outcome))
}

func (n *notes) Moved(int, int64)         {}
func (*notes) Spent(int, describe.Effort) {}

func (n *notes) Receipt(text []byte) {
	r, err := receipt.Parse(text)
	if err != nil {
		panic(err)
	}
	n.receipts = append(n.receipts, r)
}

// TestUsersOfASeedStayTheSame: results are comparable with older releases only as long as
// users do the same.
func TestUsersOfASeedStayTheSame(t *testing.T) {
	for version, want := range map[int]string{2: "305b51b90dea44cb", 3: "461addfd885d984f"} {
		s := newShop()
		c := config()
		c.Version = version
		user := session.New(s, c, 1)
		for range 100 {
			if err := user.Do(t.Context(), &notes{names: session.Operations(version, false)}); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprintf("%x", s.asked.Sum(nil)[:8]); got != want {
			t.Errorf("what the user asks of the shop in version %d is %s, was %s", version, got, want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	lost := errors.New("the answer was lost")
	for name, test := range map[string]struct {
		answer   error
		restocks bool
		outcome  workload.Outcome
		restock  bool
		receipts []receipt.Receipt
	}{
		"done":           {outcome: workload.Done, receipts: []receipt.Receipt{receipt.Order{ID: 7, Cents: 999}}},
		"sold out":       {answer: session.ErrSoldOut, outcome: workload.RolledBack},
		"restocked":      {answer: session.ErrSoldOut, restocks: true, outcome: workload.RolledBack, restock: true},
		"refused":        {answer: lost, outcome: workload.Failed},
		"answer is lost": {answer: session.InDoubt(lost), outcome: workload.Failed, receipts: []receipt.Receipt{receipt.Order{ID: 7, Cents: 999, Doubtful: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop()
			s.answer = test.answer
			shop := session.Shop(s)
			if test.restocks {
				shop = restocking{s}
			}
			n := &notes{names: session.Operations(2, test.restocks)}
			err := session.New(shop, config(), 1).Do(t.Context(), n)
			if failed := errors.Is(err, lost); failed != (test.outcome == workload.Failed) {
				t.Errorf("got %v", err)
			}
			end := []string{fmt.Sprint(session.Purchase, test.outcome), fmt.Sprint(session.Order, test.outcome)}
			if test.restock {
				end = append(end, fmt.Sprint(session.Restock, workload.Done))
			}
			if got := n.observed[len(n.observed)-len(end):]; fmt.Sprint(got) != fmt.Sprint(end) {
				t.Errorf("the last operations are %v, want %v", got, end)
			}
			if got := known(n.receipts); fmt.Sprint(got) != fmt.Sprint(test.receipts) {
				t.Errorf("receipts %v, want %v", got, test.receipts)
			}
		})
	}
}

// known is what the shop said.
func known(receipts []receipt.Receipt) (all []receipt.Receipt) {
	for _, r := range receipts {
		o := r.(receipt.Order)
		all = append(all, receipt.Order{ID: o.ID, Cents: o.Cents, Doubtful: o.Doubtful})
	}
	return all
}

func TestOperations(t *testing.T) {
	for want, got := range map[string][]session.Operation{
		"[order login newcustomer browse purchase restock]":                                                             session.Operations(2, true),
		"[order login newcustomer browse purchase]":                                                                     session.Operations(2, false),
		"[order login newcustomer browse newmember browsereviews getreviews newreview newhelpfulness purchase restock]": session.Operations(3, true),
	} {
		if fmt.Sprint(got) != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

func TestTheEndOfAContextInterrupts(t *testing.T) {
	s := newShop()
	user := session.New(s, config(), 1)
	ctx, cancel := context.WithCancel(t.Context())
	if err := user.Do(ctx, &notes{names: session.Operations(2, false)}); err != nil || user.Broken() {
		t.Fatal(err, user.Broken())
	}
	cancel()
	for deadline := time.Now().Add(time.Minute); !user.Broken(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not interrupted")
		}
	}
}
