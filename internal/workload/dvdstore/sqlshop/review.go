package sqlshop

import (
	"errors"

	"plimsoll/internal/workload/dvdstore/session"
)

var errVersion = errors.New("memberships and reviews are of DVD Store 3")

// Join implements session.Shop.
func (s *Shop) Join(customer, level int64) error { return errVersion }

// BrowseReviews implements session.Shop.
func (s *Shop) BrowseReviews(_ int64, search session.ReviewSearch, found []int64) ([]int64, error) {
	return found, errVersion
}

// GetReviews implements session.Shop.
func (s *Shop) GetReviews(_ int64, of session.ProductReviews, found []int64) ([]int64, error) {
	return found, errVersion
}

// NewReview implements session.Shop.
func (s *Shop) NewReview(customer int64, r *session.Review) (int64, error) { return 0, errVersion }

// RateReview implements session.Shop.
func (s *Shop) RateReview(customer, review, helpfulness int64) (int64, error) { return 0, errVersion }
