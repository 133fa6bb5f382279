package sqlshop_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/internal/workload/dvdstore/receipt"
	"plimsoll/internal/workload/dvdstore/session"
)

func TestVersion3(t *testing.T) {
	onEngines(t, 3, func(t *testing.T, s store) {
		t.Run("reviews are found by actor and title", s.testBrowseReviews)
		t.Run("reviews of a film come in order", s.testGetReviews)
		t.Run("who is a member stays so", s.testMembersTwice)
		t.Run("what is written is in the database as acknowledged", s.testTakingPart)
		t.Run("what an error leaves open is doubtful", s.testDoubtfulReviews)
	})
}

// always returns users who take part in reviewing in every order.
func (s store) always() session.Config {
	c := s.config()
	c.NewMembers, c.NewReviews, c.NewHelpfulness = 1, 1, 1
	return c
}

// review is one row of the database.
type review struct {
	id, product, stars, total int64
	date                      string
	title, actor              string
}

// everything reads all reviews with their total helpfulness.
func (s store) everything(t *testing.T) (all []review) {
	t.Helper()
	db := dvdstoretest.Open(t, s.target)
	rows, err := db.QueryContext(t.Context(), s.sql("select r.review_id, r.prod_id, r.stars, coalesce(sum(h.helpfulness), 0), "+
		"cast(r.review_date as char(10)), p.title, p.actor from {reviews} r join {products} p on p.prod_id = r.prod_id "+
		"left join {reviews_helpfulness} h on h.review_id = r.review_id group by r.review_id, r.prod_id, r.stars, r.review_date, p.title, p.actor"))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r review
		if err := rows.Scan(&r.id, &r.product, &r.stars, &r.total, &r.date, &r.title, &r.actor); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil || int64(len(all)) < s.size.Reviews {
		t.Fatalf("%d reviews, %v", len(all), err)
	}
	return all
}

// first returns the numbers of the first reviews that are wanted, in order.
func first(all []review, limit int, wanted func(review) bool, order func(a, b review) int) (ids []int64) {
	var some []review
	for _, r := range all {
		if wanted(r) {
			some = append(some, r)
		}
	}
	slices.SortFunc(some, func(a, b review) int { return cmp.Or(order(a, b), cmp.Compare(a.id, b.id)) })
	for _, r := range some[:min(limit, len(some))] {
		ids = append(ids, r.id)
	}
	return ids
}

func mostHelpful(a, b review) int { return cmp.Compare(b.total, a.total) }

func latest(a, b review) int { return strings.Compare(b.date, a.date) }

func (s store) testBrowseReviews(t *testing.T) {
	all, shop := s.everything(t), s.shop(t)
	for i := range int64(5) {
		_, family := data.Actor(i * 37)
		word := data.TitleWord(i * 173)
		for _, test := range []struct {
			search session.ReviewSearch
			wanted func(review) bool
		}{
			{session.ReviewSearch{By: session.ByActor, Word: family, Depth: 100_000, Limit: 10}, func(r review) bool { return strings.HasSuffix(r.actor, " "+family) }},
			{session.ReviewSearch{By: session.ByTitle, Word: word, Depth: 100_000, Limit: 7}, func(r review) bool { return slices.Contains(strings.Fields(r.title), word) }},
		} {
			found, err := shop.BrowseReviews(1, test.search, nil)
			if want := first(all, int(test.search.Limit), test.wanted, mostHelpful); err != nil || !slices.Equal(found, want) {
				t.Errorf("%+v: found %v, %v, want %v", test.search, found, err, want)
			}
			test.search.Depth = 3
			found, err = shop.BrowseReviews(1, test.search, []int64{7})
			if want := first(all, math.MaxInt, test.wanted, mostHelpful); err != nil || len(found) != 1+min(3, len(want)) || found[0] != 7 ||
				slices.ContainsFunc(found[1:], func(id int64) bool { return !slices.Contains(want, id) }) {
				t.Errorf("%+v: found %v, %v, want 3 of %v after 7", test.search, found, err, want)
			}
		}
	}
}

func (s store) testGetReviews(t *testing.T) {
	all, shop := s.everything(t), s.shop(t)
	for _, product := range []int64{1, 2, 3, s.size.Products} {
		for _, test := range []struct {
			of     session.ProductReviews
			wanted func(review) bool
			order  func(a, b review) int
		}{
			{session.ProductReviews{Order: session.ByHelpfulness, Limit: 10}, func(r review) bool { return true }, mostHelpful},
			{session.ProductReviews{Order: session.ByStars, Stars: 4, Limit: 2}, func(r review) bool { return r.stars == 4 }, mostHelpful},
			{session.ProductReviews{Order: session.ByDate, Limit: 10}, func(r review) bool { return true }, latest},
		} {
			test.of.Product = product
			found, err := shop.GetReviews(1, test.of, nil)
			want := first(all, int(test.of.Limit), func(r review) bool { return r.product == product && test.wanted(r) }, test.order)
			if err != nil || !slices.Equal(found, want) {
				t.Errorf("%+v: found %v, %v, want %v", test.of, found, err, want)
			}
		}
	}
}

func (s store) testMembersTwice(t *testing.T) {
	shop := s.shop(t)
	loaded := s.ask(t, 2, "select customerid, membershiptype from {membership} order by customerid limit 1")
	if err := shop.Join(loaded[0], loaded[1]%data.MemberLevels+1); !errors.Is(err, session.ErrMember) {
		t.Errorf("got %v, want ErrMember", err)
	}
	if level := s.ask(t, 1, "select membershiptype from {membership} where customerid = $1", loaded[0])[0]; level != loaded[1] {
		t.Errorf("the level went from %d to %d", loaded[1], level)
	}
	if shop.Broken() {
		t.Error("the shop is broken")
	}
}

// written counts memberships, reviews and ratings.
func (s store) written(t *testing.T) [3]int64 {
	t.Helper()
	return [3]int64(s.ask(t, 3, "select (select count(*) from {membership}), (select count(*) from {reviews}), (select count(*) from {reviews_helpfulness})"))
}

func (s store) testTakingPart(t *testing.T) {
	const orders = 60
	user, n, before := s.open(t, s.always()), newNotes(3), s.written(t)
	for range orders {
		if err := user.Do(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	grown := [3]int64{}
	for _, r := range n.others {
		switch r := r.(type) {
		case receipt.Member:
			grown[0]++
			s.holds(t, r, "select count(*), count(case when expiredate > current_date + interval '364' day then 1 end) from {membership} "+
				"where customerid = $1 and membershiptype = $2", r.Customer, r.Level)
		case receipt.Review:
			grown[1]++
			s.holds(t, r, "select count(*), count(case when review_date = current_date and length(review_text) > 50 then 1 end) from {reviews} "+
				"where review_id = $1 and customerid = $2 and prod_id = $3 and stars = $4", r.ID, r.Customer, r.Product, r.Stars)
		case receipt.Helpfulness:
			grown[2]++
			s.holds(t, r, "select count(*), count(*) from {reviews_helpfulness} "+
				"where review_helpfulness_id = $1 and customerid = $2 and review_id = $3 and helpfulness = $4", r.ID, r.Customer, r.Review, r.Helpfulness)
		}
	}
	after := s.written(t)
	if got := [3]int64{after[0] - before[0], after[1] - before[1], after[2] - before[2]}; got != grown || grown[1] != orders || grown[2] != orders || grown[0] < orders/2 {
		t.Errorf("memberships, reviews and ratings grew by %v, acknowledged were %v of %d", got, grown, orders)
	}
	for _, o := range []session.Operation{session.NewMember, session.NewReview, session.NewHelpfulness} {
		if n.count(o, workload.Done) != orders {
			t.Errorf("%v %d times, want %d", o, n.count(o, workload.Done), orders)
		}
	}
}

// holds says that a query gives two ones.
func (s store) holds(t *testing.T, r receipt.Receipt, query string, arguments ...int64) {
	t.Helper()
	if row := s.ask(t, 2, query, arguments...); row[0] != 1 || row[1] != 1 {
		t.Errorf("%v: the database has %v of it", r, row)
	}
}

// The calls of an order of a new customer who searches once and takes part.
const (
	joinCall   = browseCall + 1
	reviewCall = joinCall + 3 // after a search for reviews and a request for a film's
	rateCall   = reviewCall + 1
)

func (s store) testDoubtfulReviews(t *testing.T) {
	c := s.always()
	c.NewCustomers, c.Searches, c.ReviewSearches = 1, 1, 1
	for _, test := range []struct {
		failAt    int
		performed bool
		kind      int
	}{{joinCall, true, 0}, {joinCall, false, 0}, {reviewCall, true, 1}, {reviewCall, false, 1}, {rateCall, true, 2}, {rateCall, false, 2}} {
		before := s.written(t)
		n := s.cut(t, newNotes(3), c, test.failAt, test.performed)
		want := strings.Join([]string{"Member", "Review", "Helpfulness"}[:test.kind+1], " ") + "?"
		if got := names(n.others); got != want || len(n.receipts) > 0 {
			t.Errorf("call %d cut: receipts %q, want %q; outcomes %v", test.failAt, got, want, n.outcomes)
		}
		s.await(t, fmt.Sprintf("call %d cut", test.failAt), func() bool {
			stored := s.written(t)[test.kind] - before[test.kind]
			return stored == 1 == test.performed
		})
	}
}

// names lists the kinds of receipts, with a question mark where they are
// doubtful.
func names(all []receipt.Receipt) string {
	var text []string
	for _, r := range all {
		name := strings.TrimPrefix(fmt.Sprintf("%T", r), "receipt.")
		if r.InDoubt() {
			name += "?"
		}
		text = append(text, name)
	}
	return strings.Join(text, " ")
}
