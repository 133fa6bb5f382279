package dvdstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
)

// comparison holds the rows of a table that users wrote against a book.
type comparison[R entry[R]] struct {
	book *book[R]

	found, content, twice, extra *tally
}

// compare begins a comparison; rows are called so one by one, and together.
func compare[R entry[R]](one, many string, b *book[R]) *comparison[R] {
	return &comparison[R]{
		book:    b,
		found:   tallyAll("every acknowledged "+one+" is present", b.count()),
		content: tallyAll("acknowledged "+many+" have the acknowledged contents", b.count()),
		twice:   tallyNone(many + " acknowledged twice"),
		extra:   tallyNone(many + " that were neither acknowledged nor in doubt"),
	}
}

// row judges one row; rows come by ascending number.
func (c *comparison[R]) row(there R) {
	c.missing(there.Number())
	switch acknowledged, ok := c.book.take(there.Number(), c.twice); {
	case ok && acknowledged != there:
		c.content.offend("%v, acknowledged was %v", there, acknowledged)
	case !ok && !c.book.excuses(there):
		c.extra.offend("%v", there)
	}
}

// missing reports the acknowledged ones before a number.
func (c *comparison[R]) missing(before int64) {
	for {
		r, ok := c.book.before(before, c.twice)
		if !ok {
			return
		}
		c.found.offend("%v", r)
	}
}

// end returns the checks once all rows were judged.
func (c *comparison[R]) end() []*tally {
	c.missing(math.MaxInt64)
	return []*tally{c.found, c.content, c.twice, c.extra}
}

// reviewing audits what version 3 adds.
func (a *auditor) reviewing(ctx context.Context, book *ledger) error {
	for _, part := range []struct {
		what  string
		audit func(context.Context, *ledger) error
	}{{"memberships", a.members}, {"reviews", a.reviews}, {"ratings", a.ratings}, {"references of reviews", a.referred}} {
		if err := part.audit(ctx, book); err != nil {
			return fmt.Errorf("audit the %s: %w", part.what, err)
		}
	}
	return nil
}

// members goes through all memberships: they have no number that would tell the
// loaded ones from others, but a customer has one only. Loaded ones are known
// by their customers.
func (a *auditor) members(ctx context.Context, book *ledger) error {
	c := compare("membership", "memberships", book.members)
	loaded := loadedMembers{generator: a.generator, next: 1, last: a.size.Members,
		tally: tallyAll("loaded memberships are all there and unchanged", a.size.Members)}
	err := a.each(ctx, "select customerid, membershiptype, "+a.engine.day("expiredate")+" from {membership} order by customerid", func(row []int64) {
		if !loaded.row(row[0], row[1], row[2]) {
			c.row(receipt.Member{Customer: row[0], Level: row[1]})
		}
	})
	loaded.row(math.MaxInt64, 0, 0)
	a.add(c.end()...)
	a.add(loaded.tally)
	return err
}

// loadedMembers holds memberships against those that were loaded.
type loadedMembers struct {
	generator  data.Generator
	next, last int64
	tally      *tally
}

// row judges a membership, or says that it was not loaded; customers rise from
// call to call. The day of expiry is a number like 20270131.
func (l *loadedMembers) row(customer, level, expiry int64) (loaded bool) {
	for ; l.next <= l.last; l.next++ {
		m := l.generator.Member(l.next)
		if m.Customer > customer {
			return false
		}
		if m.Customer == customer {
			l.next++
			if want := m.Year*10_000 + m.Month*100 + m.Day; level != m.Level || expiry != want {
				l.tally.offend("membership of customer %d: level %d until %d, loaded was %d until %d", customer, level, expiry, m.Level, want)
			}
			return true
		}
		l.tally.offend("membership of customer %d is missing", m.Customer)
	}
	return false
}

func (a *auditor) reviews(ctx context.Context, book *ledger) error {
	c := compare("review", "reviews", book.reviews)
	query := a.names.Replace(fmt.Sprintf(`select review_id, customerid, prod_id, stars, review_summary, review_text
		from {reviews} where review_id > %d order by review_id`, a.size.Reviews))
	rows, err := a.db.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var r receipt.Review
		var summary, text sql.RawBytes
		if err := rows.Scan(&r.ID, &r.Customer, &r.Product, &r.Stars, &summary, &text); err != nil {
			return err
		}
		r.Content = receipt.Content(summary, text)
		c.row(r)
	}
	a.add(c.end()...)
	return rows.Err()
}

func (a *auditor) ratings(ctx context.Context, book *ledger) error {
	c := compare("rating", "ratings", book.ratings)
	err := a.each(ctx, fmt.Sprintf(`select review_helpfulness_id, customerid, review_id, helpfulness
		from {reviews_helpfulness} where review_helpfulness_id > %d order by review_helpfulness_id`, a.generator.Helpfulness()), func(row []int64) {
		c.row(receipt.Helpfulness{ID: row[0], Customer: row[1], Review: row[2], Helpfulness: row[3]})
	})
	a.add(c.end()...)
	return err
}

// referred looks for new rows of what does not exist.
func (a *auditor) referred(ctx context.Context, _ *ledger) error {
	orphans := tallyNone("new memberships, reviews and ratings without an existing customer, product or review")
	for _, part := range []struct{ what, query string }{
		{"membership of customer", `select m.customerid from {membership} m left join {customers} c on c.customerid = m.customerid
			where c.customerid is null`},
		{"review", fmt.Sprintf(`select r.review_id from {reviews} r left join {customers} c on c.customerid = r.customerid
			left join {products} p on p.prod_id = r.prod_id
			where r.review_id > %d and (c.customerid is null or p.prod_id is null)`, a.size.Reviews)},
		{"rating", fmt.Sprintf(`select h.review_helpfulness_id from {reviews_helpfulness} h left join {customers} c on c.customerid = h.customerid
			left join {reviews} r on r.review_id = h.review_id
			where h.review_helpfulness_id > %d and (c.customerid is null or r.review_id is null)`, a.generator.Helpfulness())},
	} {
		err := a.each(ctx, part.query, func(row []int64) { orphans.offend("%s %d", part.what, row[0]) })
		if err != nil {
			return err
		}
	}
	a.add(orphans)
	return nil
}
