package sqlshop

import (
	"errors"
	"fmt"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/session"
)

// Purchase implements session.Shop: it looks prices up and orders the cart in
// one transaction, which is rolled back when a product is out of stock. Lines
// that are short are marked.
func (s *Shop) Purchase(customer int64, c *session.Cart) (session.Bill, error) {
	net, err := s.prices(c)
	if err != nil {
		return session.Bill{}, fmt.Errorf("look up prices: %w", err)
	}
	order, err := s.write(customer, c, net)
	if err != nil {
		return session.Bill{}, s.giveUp(fmt.Errorf("order: %w", err))
	}
	if short(c) {
		if err := s.end(s.statements.rollback); err != nil {
			return session.Bill{}, fmt.Errorf("roll an order back: %w", err)
		}
		return session.Bill{}, session.ErrSoldOut
	}
	return session.Bill{Order: order, Cents: net + data.Tax(net)}, s.commit()
}

// prices returns what a cart costs without tax, in hundredths.
func (s *Shop) prices(c *session.Cart) (net int64, err error) {
	s.batch.Reset()
	for _, l := range c.Lines {
		s.batch.Call(s.statements.price).Int(l.Product)
	}
	r, err := s.perform()
	if err != nil {
		return 0, err
	}
	for i, l := range c.Lines {
		if r.Rows(i) == 0 {
			return 0, fmt.Errorf("there is no product %d: the database is not of the size that the study says", l.Product)
		}
		price, err := hundredths(r.Text(i, 0, 0))
		if err != nil {
			return 0, fmt.Errorf("price of product %d: %w", l.Product, err)
		}
		net += price * l.Quantity
	}
	return net, nil
}

// write performs all writes of an order in one batch, in a transaction that
// stays open, and marks the lines that were out of stock.
func (s *Shop) write(customer int64, c *session.Cart, net int64) (order int64, err error) {
	lines, err := s.insertLines(len(c.Lines))
	if err != nil {
		return 0, err
	}
	bought, err := s.insertBought(len(c.Lines))
	if err != nil {
		return 0, err
	}
	tax := data.Tax(net)
	s.batch.Reset().Call(s.statements.begin).
		Call(s.statements.order).Int(customer).Hundredths(net).Hundredths(tax).Hundredths(net + tax)
	const insert, firstSale = 1, 2 // places in the batch
	for _, l := range c.Lines {
		s.batch.Call(s.statements.sell).Int(l.Product).Int(l.Quantity)
	}
	s.addLines(lines, c)
	s.addBought(bought, customer, c)
	r, err := s.perform()
	if err != nil {
		return 0, err
	}
	for i := range c.Lines {
		c.Lines[i].Short = r.Affected(firstSale+i) == 0
	}
	return insertedID(r, insert), nil
}

func (s *Shop) addLines(statement *sqlwire.Statement, c *session.Cart) {
	s.batch.Call(statement)
	for _, l := range c.Lines {
		s.batch.Int(l.Product).Int(l.Quantity)
	}
}

func (s *Shop) addBought(statement *sqlwire.Statement, customer int64, c *session.Cart) {
	s.batch.Call(statement).Int(customer)
	for _, l := range c.Lines {
		s.batch.Int(l.Product)
	}
}

// short reports whether a line was out of stock.
func short(c *session.Cart) bool {
	for _, l := range c.Lines {
		if l.Short {
			return true
		}
	}
	return false
}

// commit commits. Once it is under way, an error leaves it open whether the
// order is in the database.
func (s *Shop) commit() error {
	if err := s.end(s.statements.commit); err != nil {
		return session.InDoubt(s.giveUp(fmt.Errorf("commit an order: %w", err)))
	}
	return nil
}

// end ends the transaction with commit or rollback.
func (s *Shop) end(how []*sqlwire.Statement) error {
	s.batch.Reset()
	for _, statement := range how {
		s.batch.Call(statement)
	}
	_, err := s.perform()
	return err
}

// giveUp rolls back after an error, which it passes on.
func (s *Shop) giveUp(err error) error {
	if s.conn.Broken() {
		return err // the server rolls back without a commit
	}
	if failed := s.end(s.statements.rollback); failed != nil {
		return errors.Join(err, fmt.Errorf("roll back after it: %w", failed))
	}
	return err
}

// hundredths reads a decimal number with at most two places.
func hundredths(text []byte) (int64, error) {
	n, places := int64(0), -1
	for _, c := range text {
		switch {
		case c == '.' && places < 0:
			places = 0
		case c < '0' || c > '9' || places == 2:
			return 0, fmt.Errorf("%q is not an amount of money", text)
		default:
			n = 10*n + int64(c-'0')
			if places >= 0 {
				places++
			}
		}
	}
	for range 2 - max(places, 0) {
		n *= 10
	}
	return n, nil
}
