package data

import "iter"

// Member is one customer's membership.
type Member struct {
	Customer         int64
	Level            int64 // 1..MemberLevels
	Year, Month, Day int64 // when it expires
}

// MemberLevels is how many levels of membership there are.
const MemberLevels = 3

// Member returns member i, 1..Members, by ascending customer. Customers are cut
// into as many equal parts as there are members, with one member in each.
func (g Generator) Member(i int64) Member {
	r := g.row(memberStream, i)
	m := Member{
		Customer: r.Between((i-1)*g.size.Customers/g.size.Members+1, i*g.size.Customers/g.size.Members),
		Level:    r.Between(1, MemberLevels),
		Year:     r.Between(BaseYear+1, BaseYear+5),
	}
	m.Month, m.Day = drawDay(&r)
	return m
}

// drawDay draws a day of a year that is no leap year.
func drawDay(r *Rand) (month, day int64) {
	month = r.Between(1, Months)
	return month, r.Between(1, daysIn[month-1])
}

// MaxStars is the best mark of a product, MaxHelpfulness the best mark of a review; 1 is
// the worst of both.
const (
	MaxStars       = 5
	MaxHelpfulness = 10
)

// Review is what one customer thinks of one product.
type Review struct {
	Product    int64
	Customer   int64
	Month, Day int64 // in BaseYear
	Stars      int64
	Opinion    Opinion
}

// Review returns review id, 1..Reviews: of any product by any customer.
func (g Generator) Review(id int64) Review {
	r := g.row(reviewStream, id)
	v := Review{
		Product:  r.Between(1, g.size.Products),
		Customer: r.Between(1, g.size.Customers),
		Stars:    r.Between(1, MaxStars),
	}
	v.Month, v.Day = drawDay(&r)
	v.Opinion = Opinion{random: r}
	return v
}

// Opinion is the summary and text of a review, in a form that needs no memory
// of its own.
type Opinion struct{ random Rand }

// NewOpinion draws what a customer writes during a run.
func NewOpinion(r *Rand) Opinion { return Opinion{random: Rand{state: r.Uint64()}} }

// The text of a review has 2 to 8 sentences.
const (
	minSentences = 2
	maxSentences = 8
)

// AppendSummary appends a few words, at most 50 bytes: "A brave comedy".
func (o Opinion) AppendSummary(dst []byte) []byte {
	bits := o.random.Uint64()
	dst = append(append(dst, judgements[bits%phrases]...), ' ')
	return append(dst, genres[bits/phrases%phrases]...)
}

// AppendText appends some sentences, about 290 bytes and at most 1,000. They
// are plain ASCII without tabs and backslashes, but with apostrophes and
// ampersands.
func (o Opinion) AppendText(dst []byte) []byte {
	r := o.random
	_ = r.Uint64() // the summary's
	for i := r.Between(minSentences, maxSentences); i > 0; i-- {
		bits := r.Uint64()
		dst = append(append(dst, subjects[bits%phrases]...), ' ')
		dst = append(append(dst, verdicts[bits/phrases%phrases]...), ' ')
		dst = append(append(dst, reasons[bits/phrases/phrases%phrases]...), '.', ' ')
	}
	return dst[:len(dst)-1]
}

// ratingCounts is how many different numbers of ratings reviews have. In each
// run of so many reviews every number occurs once, so that the number of a
// rating is known without adding up all reviews before.
const ratingCounts = maxRatings - minRatings + 1

// Ratings returns the number of the first rating of a review and how many it has:
// 2 to 39. Ratings are numbered from 1 in the order of their reviews.
func (g Generator) Ratings(review int64) (first int64, n int) {
	run, place := (review-1)/ratingCounts, (review-1)%ratingCounts
	r := g.row(countStream, run)
	offset, stride := r.N(ratingCounts), strides[r.N(int64(len(strides)))]
	first = run*ratingCounts*(minRatings+maxRatings)/2 + 1
	for range place {
		first += minRatings + offset
		offset = (offset + stride) % ratingCounts
	}
	return first, int(minRatings + offset)
}

// strides have no divisor in common with ratingCounts (38), so that steps of
// that length meet every number.
var strides = [...]int64{1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 23, 25, 27, 29, 31, 33, 35, 37}

// Helpfulness is how many ratings all loaded reviews have together.
func (g Generator) Helpfulness() int64 {
	first, _ := g.Ratings(g.size.Reviews + 1)
	return first - 1
}

// Rating is one customer's opinion of one review.
type Rating struct {
	Customer    int64
	Helpfulness int64 // 1..MaxHelpfulness
}

// EachRating returns the ratings of a review with their numbers.
func (g Generator) EachRating(review int64) iter.Seq2[int64, Rating] {
	return func(yield func(int64, Rating) bool) {
		first, n := g.Ratings(review)
		r := g.row(ratingStream, review)
		for i := range int64(n) {
			if !yield(first+i, Rating{Customer: r.Between(1, g.size.Customers), Helpfulness: r.Between(1, MaxHelpfulness)}) {
				return
			}
		}
	}
}
