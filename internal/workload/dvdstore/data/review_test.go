package data

import (
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for _, share := range []float64{0, 0.001, 0.1, 0.37, 1} {
		size, err := parse(t, "10MB").WithReviews(1, share)
		if err != nil {
			t.Fatal(err)
		}
		g := New(size, 5)
		var before int64
		for i := int64(1); i <= size.Members; i++ {
			m := g.Member(i)
			if m.Customer <= before || m.Customer > size.Customers || m.Level < 1 || m.Level > MemberLevels {
				t.Fatalf("share %v, member %d: %+v after customer %d", share, i, m, before)
			}
			before = m.Customer
		}
		if want := int64(share * 20_000); size.Members != want {
			t.Errorf("share %v: %d members, want %d", share, size.Members, want)
		}
	}
}

func TestReviews(t *testing.T) {
	size := withReviews(t, "1MB")
	g := New(size, 6)
	if size.Members != 200 || size.Reviews != 20_000 {
		t.Fatalf("%+v", size)
	}
	var product, customer, stars, text float64
	for id := int64(1); id <= size.Reviews; id++ {
		v := g.Review(id)
		product += float64(v.Product)
		customer += float64(v.Customer)
		stars += float64(v.Stars)
		text += float64(len(v.Opinion.AppendText(nil)))
	}
	near(t, "product", product, 20_000, 500.5, 289)
	near(t, "customer", customer, 20_000, 1000.5, 577)
	near(t, "stars", stars, 20_000, 3, 1.42)
	near(t, "length of a text", text, 20_000, 290, 116)
}

// TestLongestOpinion holds the phrases against the columns that they go into.
func TestLongestOpinion(t *testing.T) {
	longest := func(list [phrases]string) (n int) {
		seen := map[string]bool{}
		for _, s := range list {
			if seen[s] || s == "" || strings.ContainsAny(s, "\t\n\\\"") || strings.TrimSpace(s) != s {
				t.Errorf("%q is twice in its list or needs escaping", s)
			}
			seen[s], n = true, max(n, len(s))
		}
		return n
	}
	if n := longest(judgements) + 1 + longest(genres); n > 50 {
		t.Errorf("a summary has up to %d bytes", n)
	}
	if n := maxSentences * (longest(subjects) + longest(verdicts) + longest(reasons) + 4); n > 1000 {
		t.Errorf("a text has up to %d bytes", n)
	}
}

func TestNewOpinionsDiffer(t *testing.T) {
	r := NewRand(1)
	a, b := NewOpinion(&r), NewOpinion(&r)
	first, second := string(a.AppendText(nil)), string(b.AppendText(nil))
	if again := string(a.AppendText(nil)); first == second || again != first {
		t.Errorf("opinions are the same, or one changes: %q, %q, %q", first, second, again)
	}
}

func TestRatingsAreNumberedWithoutGap(t *testing.T) {
	g := New(withReviews(t, "1MB"), 8)
	next, counts := int64(1), map[int]int{}
	var value, customer float64
	for review := int64(1); review <= g.size.Reviews; review++ {
		first, n := g.Ratings(review)
		if first != next {
			t.Fatalf("the ratings of review %d begin with %d, want %d", review, first, next)
		}
		counts[n]++
		for number, r := range g.EachRating(review) {
			if number != next || r.Helpfulness < 1 || r.Helpfulness > MaxHelpfulness {
				t.Fatalf("rating %d of review %d: %+v, want number %d", number, review, r, next)
			}
			value += float64(r.Helpfulness)
			customer += float64(r.Customer)
			next++
		}
	}
	total := g.Helpfulness()
	if total != next-1 {
		t.Errorf("%d ratings in all, counted %d", total, next-1)
	}
	near(t, "helpfulness", value, int(total), 5.5, 2.9)
	near(t, "customer", customer, int(total), 1000.5, 577)
	for n := minRatings; n <= maxRatings; n++ {
		if share := g.size.Reviews / ratingCounts; int64(counts[n]) < share || int64(counts[n]) > share+1 {
			t.Errorf("%d reviews have %d ratings, want %d", counts[n], n, share)
		}
	}
}

func TestRatingsFitTheirNumbers(t *testing.T) {
	if n := New(withReviews(t, "500GB"), 1).Helpfulness(); n > maxHelpfulness {
		t.Errorf("%d ratings", n)
	}
	if _, err := parse(t, "500GB").WithReviews(21, 0.1); err == nil {
		t.Error("more ratings than there are numbers, and no error")
	}
}
