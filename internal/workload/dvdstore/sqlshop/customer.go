package sqlshop

import (
	"errors"
	"fmt"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/session"
)

// Login implements session.Shop. Of what the customer bought last it gets
// title, actor, and the title that others bought with it.
func (s *Shop) Login(user int64) (customer int64, err error) {
	s.batch.Reset().Call(s.statements.login).Numbered(data.UserPrefix, user).Text(data.Password)
	r, err := s.perform()
	if err != nil {
		return 0, err
	}
	if r.Rows(0) != 1 {
		return 0, fmt.Errorf("%d customers are called %s%d and have the usual password, want 1: the database is not of the size that the study says", r.Rows(0), data.UserPrefix, user)
	}
	customer = r.Int(0, 0, 0)
	if err := s.history(customer); err != nil {
		return 0, fmt.Errorf("look up what customer %d bought: %w", customer, err)
	}
	return customer, nil
}

func (s *Shop) history(customer int64) error {
	s.batch.Reset().Call(s.statements.history).Int(customer)
	r, err := s.perform()
	if err != nil || r.Rows(0) == 0 {
		return err
	}
	s.batch.Reset()
	for row := range r.Rows(0) {
		s.batch.Call(s.statements.title).Int(r.Int(0, row, 0))
	}
	_, err = s.perform()
	return err
}

// Register implements session.Shop.
func (s *Shop) Register(c *data.Customer, user int64) (customer int64, err error) {
	s.batch.Reset().Call(s.statements.register).
		Text(c.FirstName).Text(c.LastName).Append(c.AppendAddress1).Text(c.City).Text(c.State).Append(c.AppendZip).
		Text(c.Country).Int(c.Region).Append(c.AppendEmail).Append(c.AppendPhone).
		Int(c.CardType).Append(c.AppendCard).Append(c.AppendExpiration).
		Numbered(data.NewUserPrefix, user).Text(data.Password).
		Int(c.Age).Int(c.Income).Text(c.Gender)
	r, err := s.perform()
	if duplicate(err) {
		return 0, session.ErrTaken
	}
	if err != nil {
		return 0, err
	}
	return insertedID(r, 0), nil
}

// duplicate reports whether a unique index refused a row.
func duplicate(err error) bool {
	e, ok := errors.AsType[*sqlwire.Error](err)
	return ok && e.Duplicate
}

// insertedID is the number of the row that statement i inserted: returned as a
// row, or with the answer.
func insertedID(r *sqlwire.Results, i int) int64 {
	if r.Rows(i) > 0 {
		return r.Int(i, 0, 0)
	}
	return r.InsertID(i)
}
