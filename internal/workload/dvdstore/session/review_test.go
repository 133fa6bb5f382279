package session_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
	"plimsoll/internal/workload/dvdstore/session"
	"plimsoll/test/quick"
)

// reviewer plays orders of version 3, and always takes part in reviewing.
func reviewer(t *testing.T, s *shop, orders int) (*notes, error) {
	t.Helper()
	c := config()
	c.Version, c.NewMembers, c.NewReviews, c.NewHelpfulness = 3, 1, 1, 1
	n := &notes{names: session.Operations(3, false)}
	user := session.New(s, c, 1)
	for range orders {
		if err := user.Do(t.Context(), n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// TestMixOfVersion3: its bounds are more than five standard deviations wide.
func TestMixOfVersion3(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	const orders = 20_000
	c := config()
	c.Version = 3
	n := &notes{names: session.Operations(3, false)}
	user := session.New(newShop(), c, 1)
	arrived := ""                      // how the customer of the order did
	together := map[string]float64{}   // orders with both, by their names
	counts := map[string]float64{}     // operations
	rounds := map[string]map[int]int{} // how many orders had so many of an operation
	for range orders {
		n.observed = n.observed[:0]
		if err := user.Do(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		inOrder := map[string]int{}
		for _, o := range n.observed {
			name := strings.TrimRight(o, " 0123456789")
			counts[name]++
			if inOrder[name]++; inOrder[name] == 1 {
				together[arrived+" "+name]++
			}
			if name == "login" || name == "newcustomer" {
				arrived = name
			}
		}
		for _, name := range []string{"browsereviews", "getreviews"} {
			if rounds[name] == nil {
				rounds[name] = map[int]int{}
			}
			rounds[name][inOrder[name]]++
		}
	}
	near := func(what string, got, share float64) {
		t.Helper()
		if want := share * orders; math.Abs(got-want) > 6*math.Sqrt(orders*share) {
			t.Errorf("%s: %v of %d orders, want %v", what, got, orders, want)
		}
	}
	for name, share := range map[string]float64{"newmember": 0.01, "newreview": 0.05, "newhelpfulness": 0.1} {
		near(name, counts[name], share)
		near(name+" by newcustomer", together["newcustomer "+name], 0.2*share)
		near(name+" by login", together["login "+name], 0.8*share)
	}
	for _, name := range []string{"browsereviews", "getreviews"} {
		for times := 1; times <= 5; times++ {
			near(fmt.Sprintf("%d times %s", times, name), float64(rounds[name][times]), 0.2)
		}
	}
}

func TestReceiptsOfVersion3(t *testing.T) {
	lost := errors.New("the answer was lost")
	for name, test := range map[string]struct {
		join, reply error
		receipts    string
		fails       bool
	}{
		"done":                 {receipts: "Member Review Helpfulness Order"},
		"a member already":     {join: session.ErrMember, receipts: "Review Helpfulness Order"},
		"not a member":         {join: lost, fails: true},
		"a member, perhaps":    {join: session.InDoubt(lost), receipts: "Member?", fails: true},
		"a review is refused":  {reply: lost, receipts: "Member", fails: true},
		"a review, perhaps":    {reply: session.InDoubt(lost), receipts: "Member Review?", fails: true},
		"not reached any more": {join: session.ErrMember, reply: lost, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop()
			s.join, s.reply = test.join, test.reply
			n, err := reviewer(t, s, 1)
			if got := kinds(n.receipts); (err != nil) != test.fails || got != test.receipts {
				t.Fatalf("%v, receipts of %q, want %q", err, got, test.receipts)
			}
			if end := fmt.Sprint(session.Order, workload.Failed); test.fails && n.observed[len(n.observed)-1] != end {
				t.Errorf("operations %v", n.observed)
			}
		})
	}
}

// kinds names the receipts, with a question mark where they are doubtful.
func kinds(receipts []receipt.Receipt) string {
	var all []string
	for _, r := range receipts {
		name := strings.TrimPrefix(fmt.Sprintf("%T", r), "receipt.")
		if r.InDoubt() {
			name += "?"
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

// TestReceiptsSayWhatWasAsked compares receipts with what the shop was asked.
func TestReceiptsSayWhatWasAsked(t *testing.T) {
	s := newShop()
	s.shown = []int64{11, 12, 13}
	log := &strings.Builder{}
	s.log = log
	n, err := reviewer(t, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{}
	for line := range strings.Lines(log.String()) {
		what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		asked[what] = rest
	}
	member, review, rating := n.receipts[0].(receipt.Member), n.receipts[1].(receipt.Review), n.receipts[2].(receipt.Helpfulness)
	if asked["join"] != fmt.Sprint(member.Level) || member.Level < 1 || member.Level > data.MemberLevels {
		t.Errorf("%v, asked was %q", member, asked["join"])
	}
	if want := fmt.Sprint(review.Product, " ", review.Stars, " "); !strings.HasPrefix(asked["review"], want) || review.ID != 8 {
		t.Errorf("%v, asked was %q", review, asked["review"])
	}
	if asked["rate"] != fmt.Sprint(rating.Review, " ", rating.Helpfulness) || rating.ID != 9 || rating.Review < 11 || rating.Review > 13 {
		t.Errorf("%v, asked was %q", rating, asked["rate"])
	}
}

// TestRatingWithoutReviewsShown: where a customer was shown nothing, a loaded
// review is rated.
func TestRatingWithoutReviewsShown(t *testing.T) {
	n, err := reviewer(t, newShop(), 500)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for _, r := range n.receipts {
		if r, ok := r.(receipt.Helpfulness); ok {
			seen[r.Review] = true
			if r.Review < 1 || r.Review > 200_000 {
				t.Errorf("%v", r)
			}
		}
	}
	if len(seen) < 480 {
		t.Errorf("only %d of 500 ratings are of different reviews", len(seen))
	}
}
