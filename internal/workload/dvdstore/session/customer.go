package session

import (
	"errors"
	"fmt"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload/dvdstore/data"
)

// login logs a customer in and looks up what that customer bought last: title,
// actor, and the title that others bought with it.
func (s *session) login() (customer int64, err error) {
	user := s.random.Between(1, s.config.Customers)
	s.batch.Reset().Call(s.statements.login).Numbered(data.UserPrefix, user).Text(data.Password)
	r, err := s.perform()
	if err != nil {
		return 0, fmt.Errorf("log in: %w", err)
	}
	if r.Rows(0) != 1 {
		return 0, fmt.Errorf("log in: %d customers are called %s%d and have the usual password, want 1: the database is not of the size that the study says", r.Rows(0), data.UserPrefix, user)
	}
	customer = r.Int(0, 0, 0)
	if err := s.history(customer); err != nil {
		return 0, fmt.Errorf("look up what customer %d bought: %w", customer, err)
	}
	return customer, nil
}

func (s *session) history(customer int64) error {
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

// maxNewUser bounds the numbers of new users: drawn at random, so that drivers
// need not agree on them, from so many that hardly any is taken.
const maxNewUser = 1_000_000_000

// register makes a new customer under a name that is free.
func (s *session) register() (customer int64, err error) {
	c := data.NewCustomer(&s.random)
	for {
		customer, err = s.insertCustomer(&c, s.random.Between(1, maxNewUser))
		if e, ok := errors.AsType[*wire.Error](err); ok && e.Duplicate() {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("register a new customer: %w", err)
		}
		return customer, nil
	}
}

func (s *session) insertCustomer(c *data.Customer, user int64) (customer int64, err error) {
	s.batch.Reset().Call(s.statements.register).
		Text(c.FirstName).Text(c.LastName).Append(c.AppendAddress1).Text(c.City).Text(c.State).Append(c.AppendZip).
		Text(c.Country).Int(c.Region).Append(c.AppendEmail).Append(c.AppendPhone).
		Int(c.CardType).Append(c.AppendCard).Append(c.AppendExpiration).
		Numbered(data.NewUserPrefix, user).Text(data.Password).
		Int(c.Age).Int(c.Income).Text(c.Gender)
	r, err := s.perform()
	if err != nil {
		return 0, err
	}
	return insertedID(r, 0), nil
}

// insertedID is the number of the row that statement i inserted: returned as a
// row, or with the answer.
func insertedID(r *wire.Results, i int) int64 {
	if r.Rows(i) > 0 {
		return r.Int(i, 0, 0)
	}
	return r.InsertID(i)
}
