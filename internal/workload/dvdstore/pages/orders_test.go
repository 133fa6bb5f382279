package pages_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/receipt"
)

// orders has several users order at the same time, and audits the database.
func (s *stack) orders(t *testing.T) {
	const each = 30
	soldOut, failed := s.order(t, func(orders int) bool { return orders < each })
	t.Logf("%d orders, %d sold out", len(s.receipts), soldOut)
	if failed > 0 {
		t.Errorf("%d orders failed", failed)
	}
	s.audit(t)
}

// crash kills the database while users order; what they were told is there,
// and of the rest nothing in part.
func (s *stack) crash(t *testing.T) {
	before := len(s.receipts)
	var killed atomic.Bool
	var kill sync.Once
	_, failed := s.order(t, func(orders int) bool {
		if orders == 20 { // of the fastest user
			kill.Do(func() {
				go func() {
					s.db.Kill(t)
					killed.Store(true)
				}()
			})
		}
		return !killed.Load()
	})
	t.Logf("%d orders, %d failed", len(s.receipts)-before, failed)
	s.db.Recover(t)
	s.audit(t)
}

// order has several users order while they are told to, and keeps the receipts.
func (s *stack) order(t *testing.T, more func(orders int) bool) (soldOut, failed int) {
	const users = 4
	var lock sync.Mutex
	var wait sync.WaitGroup
	for user := range users {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(user)))
			for n := 0; more(n); n++ {
				parameters, r := basket(random)
				p := s.request(t, "ds2", "dspurchase", parameters)
				lock.Lock()
				switch {
				case p.status != http.StatusOK:
					failed++
					r.Doubtful = true
					s.receipts = append(s.receipts, r.Append(nil))
				case len(p.elements("p", "class", "soldout")) > 0:
					soldOut++
				default:
					r.ID, _ = strconv.ParseInt(p.input("orderid"), 10, 64)
					r.Cents = cents(t, p.class("td", "total"))
					s.receipts = append(s.receipts, r.Append(nil))
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return soldOut, failed
}

// basket draws an order, and the receipt as far as it is known before.
func basket(random *rand.Rand) (url.Values, receipt.Order) {
	r := receipt.Order{Customer: random.Int64N(2000) + 1}
	parameters := values("confirmpurchase", "yes", "customerid", strconv.FormatInt(r.Customer, 10))
	for range 1 + random.IntN(12) {
		quantity := 1 + random.IntN(3)
		r.Lines, r.Quantity = r.Lines+1, r.Quantity+int32(quantity)
		parameters.Add("item[]", strconv.Itoa(random.IntN(1000)+1))
		parameters.Add("quan[]", strconv.Itoa(quantity))
	}
	return parameters, r
}

// audit audits the database against the receipts of all orders since it was loaded.
func (s *stack) audit(t *testing.T) {
	t.Helper()
	result, err := (dvdstore.Workload{}).Audit(t.Context(), s.db.Target(), s.parameters, seed, func(yield func([]byte) bool) error {
		for _, r := range s.receipts {
			if !yield(r) {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range result.Checks {
		if !c.Passed {
			t.Errorf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
		}
	}
	if result.Present != result.Acknowledged {
		t.Errorf("%d of %d orders are there", result.Present, result.Acknowledged)
	}
}

// impatient has customers who hang up before the answer: their orders are
// there in whole or not at all.
func (s *stack) impatient(t *testing.T) {
	random := rand.New(rand.NewPCG(seed, 100))
	hungUp := 0
	for i := range 100 {
		parameters, _ := basket(random)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%40)*time.Millisecond)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop/ds2/dspurchase.php?"+parameters.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.client.Do(request); err == nil {
			r.Body.Close()
		} else {
			hungUp++
		}
		cancel()
	}
	t.Logf("%d of 100 hung up", hungUp)
	for range 2 * workers { // which have no work left then
		s.get(t, "ds2", "dslogin", "username", "user1", "password", "password")
	}
	var sold, ordered, partial int
	s.until(t, "every worker has ended its order", func() bool {
		s.query(t, "select (select sum(sales) from {inventory}), (select sum(quantity) from {orderlines})", &sold, &ordered)
		return sold == ordered
	})
	s.query(t, `select count(*) from {orders} o
		where (select count(*) from {orderlines} l where l.orderid = o.orderid) not between 1 and 12`, &partial)
	var lines, history int
	s.query(t, "select (select count(*) from {orderlines}), (select count(*) from {cust_hist})", &lines, &history)
	if partial > 0 || lines != history {
		t.Errorf("%d orders in part; %d lines, %d rows of history", partial, lines, history)
	}
}
