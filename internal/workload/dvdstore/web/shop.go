// Package web reaches a DVD Store by the pages of its web site: it implements
// session.Shop on one connection of a user. The pages and their parameters are
// those of the DVD Store, so it drives ours (package pages) and others. What it
// reads of an answer is little, and read leniently: hidden inputs with numbers,
// and whether the page says that something is wrong.
//
// Each call is one page, except that a user may have to choose a name twice.
package web

import (
	"context"
	"strings"
	"time"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/httpwire"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/pages"
	"plimsoll/internal/workload/dvdstore/session"
)

// Shop implements session.Shop.
type Shop struct {
	conn    *httpwire.Conn
	base    string // what the path of every page begins with: /ds3/
	request request
}

var _ session.Shop = (*Shop)(nil)

// Open connects to a site with the pages of a version of the DVD Store. Ours are
// where package pages puts them, those of an existing site where the endpoint says.
func Open(ctx context.Context, e endpoint.Endpoint, version int) (*Shop, error) {
	conn, err := httpwire.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	base := endpoint.PagesOf(e).Base
	if base == "" {
		base = "/" + pages.Directory(version)
	}
	return &Shop{conn: conn, base: strings.TrimSuffix(base, "/") + "/"}, nil
}

// begin starts the request of a page.
func (s *Shop) begin(page string) *request { return s.request.begin(s.base, page) }

// get fetches the page that was asked for and looks whether it is a complete one
// on which nothing went wrong.
func (s *Shop) get() (page, error) {
	answer, err := s.conn.Get(s.request.target)
	if err != nil {
		return page{}, err
	}
	p := page{name: s.request.page, body: answer.Body}
	return p, p.check(answer.Status)
}

// write is get for a page that writes: after most errors nobody knows whether
// it did.
func (s *Shop) write() (page, error) {
	p, err := s.get()
	return p, inDoubt(err)
}

// Login implements session.Shop.
func (s *Shop) Login(user int64) (customer int64, err error) {
	s.begin("dslogin").numbered("username", data.UserPrefix, user).text("password", data.Password)
	p, err := s.get()
	if err != nil {
		return 0, err
	}
	if p.says == refused {
		return 0, p.wrong("it refuses %s%d with the usual password: the database is not of the size that the study says", data.UserPrefix, user)
	}
	return p.number("customerid")
}

// Register implements session.Shop.
func (s *Shop) Register(c *data.Customer, user int64) (customer int64, err error) {
	s.begin("dsnewcustomer").
		text("firstname", c.FirstName).text("lastname", c.LastName).made("address1", c.AppendAddress1).text("address2", "").
		text("city", c.City).text("state", c.State).made("zip", c.AppendZip).text("country", c.Country).
		made("email", c.AppendEmail).made("phone", c.AppendPhone).number("creditcardtype", c.CardType).
		number("creditcard", c.Card).number("ccexpmon", c.CardMonth).number("ccexpyr", c.CardYear).
		numbered("username", data.NewUserPrefix, user).text("password", data.Password).
		number("age", c.Age).number("income", c.Income).text("gender", c.Gender)
	p, err := s.get()
	if err != nil {
		return 0, err
	}
	if p.says == taken {
		return 0, session.ErrTaken
	}
	return p.number("customerid")
}

// Browse implements session.Shop.
func (s *Shop) Browse(customer int64, search session.Search) error {
	r := s.begin("dsbrowse").text("browsetype", search.By.String())
	if search.By == session.ByCategory {
		r.number("browse_category", search.Category)
	} else {
		r.text("browse_category", "")
	}
	r.choice("browse_actor", search.Word, search.By == session.ByActor).
		choice("browse_title", search.Word, search.By == session.ByTitle).
		number("limit_num", search.Limit).number("customerid", customer)
	p, err := s.get()
	if err != nil {
		return err
	}
	return p.ofShop()
}

// Purchase implements session.Shop.
func (s *Shop) Purchase(customer int64, c *session.Cart) (b session.Bill, err error) {
	r := s.begin("dspurchase").text("confirmpurchase", "yes").number("customerid", customer)
	for _, l := range c.Lines {
		r.number("item%5B%5D", l.Product).number("quan%5B%5D", l.Quantity)
	}
	p, err := s.write()
	if err != nil {
		return b, err
	}
	if p.says == soldOut {
		return b, session.ErrSoldOut
	}
	if b.Order, err = p.number("orderid"); err != nil {
		return b, session.InDoubt(err)
	}
	b.Cents = p.total()
	return b, nil
}

// SetDeadline implements session.Shop.
func (s *Shop) SetDeadline(t time.Time) error { return s.conn.SetDeadline(t) }

// Interrupt implements session.Shop.
func (s *Shop) Interrupt() { s.conn.Interrupt() }

// Broken implements session.Shop.
func (s *Shop) Broken() bool { return s.conn.Broken() }

// Close implements session.Shop.
func (s *Shop) Close() error { return s.conn.Close() }
