package sqlshop

import "plimsoll/internal/workload/dvdstore/session"

// Join implements session.Shop. The table's primary key tells members.
func (s *Shop) Join(customer, level int64) error {
	s.batch.Reset().Call(s.statements.join).Int(customer).Int(level)
	_, err := s.perform()
	if duplicate(err) {
		return session.ErrMember
	}
	return session.InDoubt(err)
}

// BrowseReviews implements session.Shop.
func (s *Shop) BrowseReviews(_ int64, search session.ReviewSearch, found []int64) ([]int64, error) {
	statement := s.statements.reviewsByActor
	if search.By == session.ByTitle {
		statement = s.statements.reviewsByTitle
	}
	s.batch.Reset().Call(statement).Text(search.Word).Int(search.Depth).Int(search.Limit)
	return s.reviews(found)
}

// GetReviews implements session.Shop.
func (s *Shop) GetReviews(_ int64, of session.ProductReviews, found []int64) ([]int64, error) {
	s.batch.Reset()
	switch of.Order {
	case session.ByHelpfulness:
		s.batch.Call(s.statements.byHelpfulness).Int(of.Product)
	case session.ByStars:
		s.batch.Call(s.statements.byStars).Int(of.Product).Int(of.Stars)
	default:
		s.batch.Call(s.statements.byDate).Int(of.Product)
	}
	s.batch.Int(of.Limit)
	return s.reviews(found)
}

// reviews performs the batch and appends the numbers of the reviews that it
// gives, which are in the first column.
func (s *Shop) reviews(found []int64) ([]int64, error) {
	r, err := s.perform()
	if err != nil {
		return found, err
	}
	for row := range r.Rows(0) {
		found = append(found, r.Int(0, row, 0))
	}
	return found, nil
}

// NewReview implements session.Shop.
func (s *Shop) NewReview(customer int64, r *session.Review) (review int64, err error) {
	s.batch.Reset().Call(s.statements.review).Int(r.Product).Int(r.Stars).Int(customer).
		Append(r.Opinion.AppendSummary).Append(r.Opinion.AppendText)
	return s.insert()
}

// RateReview implements session.Shop.
func (s *Shop) RateReview(customer, review, helpfulness int64) (rating int64, err error) {
	s.batch.Reset().Call(s.statements.rate).Int(review).Int(customer).Int(helpfulness)
	return s.insert()
}

// insert performs an insert that is a transaction by itself, and gives the
// number of the row. An error may have come from its commit, so that it leaves
// open whether the row is there.
func (s *Shop) insert() (id int64, err error) {
	r, err := s.perform()
	if err != nil {
		return 0, session.InDoubt(err)
	}
	return insertedID(r, 0), nil
}

// reviews prepares what only version 3 has.
func (p *preparer) reviews(s *statements) {
	d := p.dialect
	s.join = p.prepare("insert into {membership} (customerid, membershiptype, expiredate) " +
		"values ($1, $2, " + d.later(1, "year") + ")")
	s.reviewsByActor = p.prepare(d.mostHelpful(d.reviewsOfFilms("p.actor"), "$3"))
	s.reviewsByTitle = p.prepare(d.mostHelpful(d.reviewsOfFilms("p.title"), "$3"))
	s.byHelpfulness = p.prepare(d.mostHelpful("select review_id from {reviews} where prod_id = $1", "$2"))
	s.byStars = p.prepare(d.mostHelpful("select review_id from {reviews} where prod_id = $1 and stars = $2", "$3"))
	s.byDate = p.prepare(d.first("select r.review_id, r.prod_id, r.review_date, r.stars, r.customerid, r.review_summary, r.review_text, "+
		total("r")+" from {reviews} r where r.prod_id = $1 order by r.review_date desc, r.review_id", "$2"))
	s.review = p.prepare(d.numbered("insert into {reviews} (prod_id, review_date, stars, customerid, review_summary, review_text)",
		"values ($1, "+d.today+", $2, $3, $4, $5)", "review_id"))
	s.rate = p.prepare(d.numbered("insert into {reviews_helpfulness} (review_id, customerid, helpfulness)",
		"values ($1, $2, $3)", "review_helpfulness_id"))
}

// reviewsOfFilms is a query for reviews, $2 at most, of the films that match in a column.
func (d *dialect) reviewsOfFilms(column string) string {
	return d.first("select r.review_id from {products} p join {reviews} r on r.prod_id = p.prod_id where "+d.matches(column), "$2")
}

// total is the column for the total helpfulness of a review. It is a subquery
// rather than a join because planners that do not know how many reviews there
// will be would otherwise read all ratings.
func total(of string) string {
	return "(select coalesce(sum(h.helpfulness), 0) from {reviews_helpfulness} h where h.review_id = " + of + ".review_id) as total"
}

// mostHelpful is a query for the most helpful ones of the reviews that another
// query gives; their texts are looked up once it is known which they are.
func (d *dialect) mostHelpful(reviews, n string) string {
	return "select r.review_id, r.prod_id, r.review_date, r.stars, r.customerid, r.review_summary, r.review_text, t.total " +
		"from (" + d.first("select f.review_id, "+total("f")+" from ("+reviews+") f order by total desc, f.review_id", n) + ") t " +
		"join {reviews} r on r.review_id = t.review_id order by t.total desc, t.review_id"
}
