package web

import "plimsoll/internal/workload/dvdstore/session"

// Join implements session.Shop.
func (s *Shop) Join(customer, level int64) error {
	s.begin("dsnewmember").number("customerid", customer).number("membershiplevel", level)
	p, err := s.write()
	if err != nil {
		return err
	}
	if p.says == taken {
		return session.ErrMember
	}
	_, err = p.number("customerid")
	return session.InDoubt(err)
}

// BrowseReviews implements session.Shop.
func (s *Shop) BrowseReviews(customer int64, search session.ReviewSearch, found []int64) ([]int64, error) {
	s.begin("dsbrowsereviews").text("browsereviewtype", search.By.String()).
		choice("review_actor", search.Word, search.By == session.ByActor).
		choice("review_title", search.Word, search.By == session.ByTitle).
		number("search_depth", search.Depth).number("limit_num", search.Limit).number("customerid", customer)
	return s.list(found)
}

// GetReviews implements session.Shop.
func (s *Shop) GetReviews(customer int64, of session.ProductReviews, found []int64) ([]int64, error) {
	kind := [...]string{session.ByHelpfulness: "noorder", session.ByStars: "star", session.ByDate: "date"}[of.Order]
	s.begin("dsgetreviews").text("getreviewtype", kind).number("productid", of.Product).
		number("review_stars", of.Stars).number("limit_num", of.Limit).number("customerid", customer)
	return s.list(found)
}

// list appends the reviews on a page.
func (s *Shop) list(found []int64) ([]int64, error) {
	p, err := s.get()
	if err != nil {
		return found, err
	}
	return p.numbers("reviewid", found), p.ofShop()
}

// NewReview implements session.Shop.
func (s *Shop) NewReview(customer int64, r *session.Review) (int64, error) {
	s.begin("dsnewreview").number("customerid", customer).number("productid", r.Product).
		made("review_summary", r.Opinion.AppendSummary).made("review_text", r.Opinion.AppendText).number("review_stars", r.Stars)
	return s.written("reviewid")
}

// RateReview implements session.Shop.
func (s *Shop) RateReview(customer, review, helpfulness int64) (int64, error) {
	s.begin("dsnewhelpfulness").number("customerid", customer).number("review_helpfulness", helpfulness).number("reviewid", review)
	return s.written("reviewhelpfulnessid")
}

// written gives the number of the row that a page has written.
func (s *Shop) written(input string) (int64, error) {
	p, err := s.write()
	if err != nil {
		return 0, err
	}
	id, err := p.number(input)
	return id, session.InDoubt(err)
}
