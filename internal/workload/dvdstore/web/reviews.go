package web

import (
	"plimsoll/internal/client/webpage"
	"plimsoll/internal/workload/dvdstore/session"
)

// Join implements session.Shop.
func (s *Shop) Join(customer, level int64) error {
	s.begin("dsnewmember").Number("customerid", customer).Number("membershiplevel", level)
	p, err := s.write()
	if err != nil {
		return err
	}
	if p.Says == webpage.Taken {
		return session.ErrMember
	}
	_, err = p.Number("customerid")
	return session.InDoubt(err)
}

// BrowseReviews implements session.Shop.
func (s *Shop) BrowseReviews(customer int64, search session.ReviewSearch, found []int64) ([]int64, error) {
	s.begin("dsbrowsereviews").Text("browsereviewtype", search.By.String()).
		Choice("review_actor", search.Word, search.By == session.ByActor).
		Choice("review_title", search.Word, search.By == session.ByTitle).
		Number("search_depth", search.Depth).Number("limit_num", search.Limit).Number("customerid", customer)
	return s.list(found)
}

// GetReviews implements session.Shop.
func (s *Shop) GetReviews(customer int64, of session.ProductReviews, found []int64) ([]int64, error) {
	kind := [...]string{session.ByHelpfulness: "noorder", session.ByStars: "star", session.ByDate: "date"}[of.Order]
	s.begin("dsgetreviews").Text("getreviewtype", kind).Number("productid", of.Product).
		Number("review_stars", of.Stars).Number("limit_num", of.Limit).Number("customerid", customer)
	return s.list(found)
}

// list appends the reviews on a page.
func (s *Shop) list(found []int64) ([]int64, error) {
	p, err := s.get()
	if err != nil {
		return found, err
	}
	return p.Numbers("reviewid", found), ofShop(&p)
}

// NewReview implements session.Shop.
func (s *Shop) NewReview(customer int64, r *session.Review) (int64, error) {
	s.begin("dsnewreview").Number("customerid", customer).Number("productid", r.Product).
		Made("review_summary", r.Opinion.AppendSummary).Made("review_text", r.Opinion.AppendText).Number("review_stars", r.Stars)
	return s.written("reviewid")
}

// RateReview implements session.Shop.
func (s *Shop) RateReview(customer, review, helpfulness int64) (int64, error) {
	s.begin("dsnewhelpfulness").Number("customerid", customer).Number("review_helpfulness", helpfulness).Number("reviewid", review)
	return s.written("reviewhelpfulnessid")
}

// written returns the number of the row that a page has written.
func (s *Shop) written(input string) (int64, error) {
	p, err := s.write()
	if err != nil {
		return 0, err
	}
	id, err := p.Number(input)
	return id, session.InDoubt(err)
}
