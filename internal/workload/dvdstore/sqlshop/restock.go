package sqlshop

import (
	"fmt"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/session"
)

// Restock implements session.Restocker. It orders more of the products that
// were out of stock, in a transaction of its own, so that the share of orders
// rolled back does not rise all through a run. Of several users who find the same product short only the
// first restocks it: the others find enough.
func (s *Shop) Restock(c *session.Cart) error {
	if err := s.replenish(c); err != nil {
		return s.giveUp(fmt.Errorf("restock: %w", err))
	}
	return nil
}

func (s *Shop) replenish(c *session.Cart) error {
	s.batch.Reset().Call(s.statements.begin)
	for _, l := range c.Lines {
		if l.Short {
			s.batch.Call(s.statements.restock).Int(l.Product).Int(data.RestockQuantity(l.Product)).Int(c.Wanted(l.Product))
		}
	}
	r, err := s.perform()
	if err != nil {
		return err
	}
	s.remind(c, r)
	if s.batch.Len() > 0 {
		if _, err := s.perform(); err != nil {
			return err
		}
	}
	return s.end(s.statements.commit)
}

// remind fills the batch with a reminder for each product that was restocked.
func (s *Shop) remind(c *session.Cart, restocked *sqlwire.Results) {
	s.batch.Reset()
	place := 1 // after begin
	for _, l := range c.Lines {
		if !l.Short {
			continue
		}
		if restocked.Affected(place) > 0 {
			s.batch.Call(s.statements.remind).Int(l.Product).Int(data.RestockQuantity(l.Product))
		}
		place++
	}
}
