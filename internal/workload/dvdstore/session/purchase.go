package session

import (
	"errors"
	"fmt"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
)

// purchase fills a cart, looks its prices up and orders it in one transaction,
// which is rolled back when a product is out of stock.
func (s *session) purchase(rec workload.Recorder, customer int64) (workload.Outcome, error) {
	s.cart.fill(&s.random, s.upTo(s.config.LineItems), s.config.Products)
	if err := s.prices(); err != nil {
		return workload.Failed, fmt.Errorf("look up prices: %w", err)
	}
	order, err := s.write(customer)
	if err != nil {
		return workload.Failed, s.giveUp(fmt.Errorf("order: %w", err))
	}
	if s.cart.short() {
		if err := s.end(s.statements.rollback); err != nil {
			return workload.Failed, fmt.Errorf("roll an order back: %w", err)
		}
		return workload.RolledBack, nil
	}
	return s.commit(rec, s.cart.receipt(order, customer))
}

func (s *session) prices() error {
	s.batch.Reset()
	for _, l := range s.cart.lines {
		s.batch.Call(s.statements.price).Int(l.product)
	}
	r, err := s.perform()
	if err != nil {
		return err
	}
	for i, l := range s.cart.lines {
		if r.Rows(i) == 0 {
			return fmt.Errorf("there is no product %d: the database is not of the size that the study says", l.product)
		}
		price, err := hundredths(r.Text(i, 0, 0))
		if err != nil {
			return fmt.Errorf("price of product %d: %w", l.product, err)
		}
		s.cart.netCents += price * l.quantity
	}
	return nil
}

// write performs all writes of an order in one batch, in a transaction that
// stays open, and marks the lines that were out of stock.
func (s *session) write(customer int64) (order int64, err error) {
	lines, err := s.insertLines(len(s.cart.lines))
	if err != nil {
		return 0, err
	}
	bought, err := s.insertBought(len(s.cart.lines))
	if err != nil {
		return 0, err
	}
	net, tax := s.cart.netCents, data.Tax(s.cart.netCents)
	s.batch.Reset().Call(s.statements.begin).
		Call(s.statements.order).Int(customer).Hundredths(net).Hundredths(tax).Hundredths(net + tax)
	const insert, firstSale = 1, 2 // places in the batch
	for _, l := range s.cart.lines {
		s.batch.Call(s.statements.sell).Int(l.product).Int(l.quantity)
	}
	s.addLines(lines)
	s.addBought(bought, customer)
	r, err := s.perform()
	if err != nil {
		return 0, err
	}
	for i := range s.cart.lines {
		s.cart.lines[i].short = r.Affected(firstSale+i) == 0
	}
	return insertedID(r, insert), nil
}

func (s *session) addLines(statement *wire.Statement) {
	s.batch.Call(statement)
	for _, l := range s.cart.lines {
		s.batch.Int(l.product).Int(l.quantity)
	}
}

func (s *session) addBought(statement *wire.Statement, customer int64) {
	s.batch.Call(statement).Int(customer)
	for _, l := range s.cart.lines {
		s.batch.Int(l.product)
	}
}

// short says that a line was out of stock.
func (c *cart) short() bool {
	for _, l := range c.lines {
		if l.short {
			return true
		}
	}
	return false
}

// commit commits and acknowledges. Once the commit is under way, an error
// leaves it open whether the order is in the database.
func (s *session) commit(rec workload.Recorder, r Receipt) (workload.Outcome, error) {
	if err := s.end(s.statements.commit); err != nil {
		r.Doubtful = true
		s.keep(rec, r)
		return workload.Failed, s.giveUp(fmt.Errorf("commit an order: %w", err))
	}
	s.keep(rec, r)
	return workload.Done, nil
}

func (s *session) keep(rec workload.Recorder, r Receipt) {
	s.receipt = r.Append(s.receipt[:0])
	rec.Receipt(s.receipt)
}

// end ends the transaction with commit or rollback.
func (s *session) end(how []*wire.Statement) error {
	s.batch.Reset()
	for _, statement := range how {
		s.batch.Call(statement)
	}
	_, err := s.perform()
	return err
}

// giveUp rolls back after an error, which it passes on.
func (s *session) giveUp(err error) error {
	if s.conn.Broken() {
		return err // the server rolls back what it was not told to commit
	}
	if failed := s.end(s.statements.rollback); failed != nil {
		return errors.Join(err, fmt.Errorf("roll back after it: %w", failed))
	}
	return err
}
