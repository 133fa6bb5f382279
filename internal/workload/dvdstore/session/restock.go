package session

import (
	"fmt"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload/dvdstore/data"
)

// restock orders more of the products that were out of stock, in a transaction
// of its own, so that the share of orders rolled back does not rise all
// through a run. Of several users who find the same product short only the
// first restocks it: the others find enough.
func (s *session) restock() error {
	if err := s.replenish(); err != nil {
		return s.giveUp(fmt.Errorf("restock: %w", err))
	}
	return nil
}

func (s *session) replenish() error {
	s.batch.Reset().Call(s.statements.begin)
	for _, l := range s.cart.lines {
		if l.short {
			s.batch.Call(s.statements.restock).Int(l.product).Int(data.RestockQuantity(l.product)).Int(s.cart.wanted(l.product))
		}
	}
	r, err := s.perform()
	if err != nil {
		return err
	}
	s.remind(r)
	if s.batch.Len() > 0 {
		if _, err := s.perform(); err != nil {
			return err
		}
	}
	return s.end(s.statements.commit)
}

// remind fills the batch with a reminder for each product that was restocked.
func (s *session) remind(restocked *wire.Results) {
	s.batch.Reset()
	place := 1 // after begin
	for _, l := range s.cart.lines {
		if !l.short {
			continue
		}
		if restocked.Affected(place) > 0 {
			s.batch.Call(s.statements.remind).Int(l.product).Int(data.RestockQuantity(l.product))
		}
		place++
	}
}
