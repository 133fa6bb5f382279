package session

import (
	"errors"
	"fmt"

	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
)

// shownReviews is how many reviews a customer is shown at a time.
const shownReviews = 10

// takePart performs the operations that version 3 adds between browsing and purchasing:
// become a member, look for reviews, read a film's reviews, write one, rate one. Chance
// decides on each independently.
func (s *Session) takePart() error {
	s.seen = s.seen[:0]
	for _, step := range [...]struct {
		operation Operation
		times     int
		perform   func(*Session) error
	}{
		{NewMember, s.once(s.config.NewMembers), (*Session).join},
		{BrowseReviews, s.upTo(s.config.ReviewSearches), (*Session).browseReviews},
		{GetReviews, s.upTo(s.config.ReviewSearches), (*Session).getReviews},
		{NewReview, s.once(s.config.NewReviews), (*Session).newReview},
		{NewHelpfulness, s.once(s.config.NewHelpfulness), (*Session).rateReview},
	} {
		for range step.times {
			if err := s.timed(step.operation, step.perform); err != nil {
				return err
			}
		}
	}
	return nil
}

// join makes the customer a member; who is one already stays what they are.
func (s *Session) join() error {
	level := s.random.Between(1, data.MemberLevels)
	err := s.shop.Join(s.customer, level)
	if errors.Is(err, ErrMember) {
		return nil
	}
	if written, doubtful := isWritten(err); written {
		r := receipt.Member{Customer: s.customer, Level: level, Doubtful: doubtful}
		s.keep(r.Append(s.receipt[:0]))
	}
	return explain(err, "become a member")
}

// browseReviews looks for reviews of the films of an actor, or of those with a
// word in their title.
func (s *Session) browseReviews() (err error) {
	search := ReviewSearch{By: ByActor, Depth: int64(s.config.SearchDepth), Limit: shownReviews}
	if s.random.N(2) == 1 {
		search.By = ByTitle
	}
	search.Word = s.word(search.By)
	if s.seen, err = s.shop.BrowseReviews(s.customer, search, s.seen); err != nil {
		return fmt.Errorf("look for reviews by %v: %w", search.By, err)
	}
	return nil
}

// getReviews reads reviews of a film.
func (s *Session) getReviews() (err error) {
	of := ProductReviews{Product: s.random.Between(1, s.config.Products), Order: ReviewOrder(s.random.N(3)), Limit: shownReviews}
	if of.Order == ByStars {
		of.Stars = s.random.Between(1, data.MaxStars)
	}
	if s.seen, err = s.shop.GetReviews(s.customer, of, s.seen); err != nil {
		return fmt.Errorf("read the reviews of product %d by %v: %w", of.Product, of.Order, err)
	}
	return nil
}

// newReview writes a review of any film.
func (s *Session) newReview() error {
	s.review = Review{
		Product: s.random.Between(1, s.config.Products),
		Stars:   s.random.Between(1, data.MaxStars),
		Opinion: data.NewOpinion(&s.random),
	}
	id, err := s.shop.NewReview(s.customer, &s.review)
	if written, doubtful := isWritten(err); written {
		r := receipt.Review{
			ID: id, Customer: s.customer, Product: s.review.Product, Stars: s.review.Stars,
			Content: s.review.content(), Doubtful: doubtful,
		}
		s.keep(r.Append(s.receipt[:0]))
	}
	return explain(err, "write a review")
}

// content is the checksum of what the review says.
func (r *Review) content() uint32 {
	var summary, text [1000]byte // room for the longest
	return receipt.Content(r.Opinion.AppendSummary(summary[:0]), r.Opinion.AppendText(text[:0]))
}

// rateReview rates one of the reviews that the customer was shown, or any that
// was loaded if there were none.
func (s *Session) rateReview() error {
	place, helpfulness := s.random.Float64(), s.random.Between(1, data.MaxHelpfulness)
	review := 1 + int64(place*float64(s.config.Reviews))
	if len(s.seen) > 0 {
		review = s.seen[int(place*float64(len(s.seen)))]
	}
	id, err := s.shop.RateReview(s.customer, review, helpfulness)
	if written, doubtful := isWritten(err); written {
		r := receipt.Helpfulness{ID: id, Customer: s.customer, Review: review, Helpfulness: helpfulness, Doubtful: doubtful}
		s.keep(r.Append(s.receipt[:0]))
	}
	return explain(err, "rate a review")
}

// once decides on what so large a share of the orders has, and gives how many
// times: once or not at all.
func (s *Session) once(share float64) int {
	if s.happens(share) {
		return 1
	}
	return 0
}

func explain(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
