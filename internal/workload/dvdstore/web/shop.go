// Package web drives a DVD Store through the pages of its web site: it implements
// session.Shop on one connection of a user. It uses the DVD Store's pages and parameters,
// so it drives ours (package pages) and others. It reads little of an answer, and
// leniently: hidden inputs with numbers, and whether the page reports an error.
//
// Each call is one page, except that a user may have to choose a name twice.
package web

import (
	"context"
	"strings"
	"time"

	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/client/webpage"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/pages"
	"plimsoll/internal/workload/dvdstore/session"
)

// Shop implements session.Shop.
type Shop struct {
	conn    *httpwire.Conn
	base    string // what the path of every page begins with: /ds3/
	request webpage.Request
}

var _ session.Shop = (*Shop)(nil)

// Open connects to a site with the pages of a version of the DVD Store. Our own site has
// them in the directory of package pages, an existing one at the endpoint's path.
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
func (s *Shop) begin(page string) *webpage.Request { return s.request.Begin(s.base, page) }

// get fetches the page that was asked for and looks whether it is a complete one
// on which nothing went wrong.
func (s *Shop) get() (webpage.Page, error) {
	answer, err := s.conn.Get(s.request.Target)
	if err != nil {
		return webpage.Page{}, err
	}
	return webpage.Read(s.request.Page, answer)
}

// write is get for a page that writes: after most errors nobody knows whether
// it did.
func (s *Shop) write() (webpage.Page, error) {
	p, err := s.get()
	return p, inDoubt(err)
}

// Login implements session.Shop.
func (s *Shop) Login(user int64) (customer int64, err error) {
	s.begin("dslogin").Numbered("username", data.UserPrefix, user).Text("password", data.Password)
	p, err := s.get()
	if err != nil {
		return 0, err
	}
	if p.Says == webpage.Refused {
		return 0, p.Wrong("it refuses %s%d with the usual password: the database is not of the size that the study says", data.UserPrefix, user)
	}
	return p.Number("customerid")
}

// Register implements session.Shop.
func (s *Shop) Register(c *data.Customer, user int64) (customer int64, err error) {
	s.begin("dsnewcustomer").
		Text("firstname", c.FirstName).Text("lastname", c.LastName).Made("address1", c.AppendAddress1).Text("address2", "").
		Text("city", c.City).Text("state", c.State).Made("zip", c.AppendZip).Text("country", c.Country).
		Made("email", c.AppendEmail).Made("phone", c.AppendPhone).Number("creditcardtype", c.CardType).
		Number("creditcard", c.Card).Number("ccexpmon", c.CardMonth).Number("ccexpyr", c.CardYear).
		Numbered("username", data.NewUserPrefix, user).Text("password", data.Password).
		Number("age", c.Age).Number("income", c.Income).Text("gender", c.Gender)
	p, err := s.get()
	if err != nil {
		return 0, err
	}
	if p.Says == webpage.Taken {
		return 0, session.ErrTaken
	}
	return p.Number("customerid")
}

// Browse implements session.Shop.
func (s *Shop) Browse(customer int64, search session.Search) error {
	r := s.begin("dsbrowse").Text("browsetype", search.By.String())
	if search.By == session.ByCategory {
		r.Number("browse_category", search.Category)
	} else {
		r.Text("browse_category", "")
	}
	r.Choice("browse_actor", search.Word, search.By == session.ByActor).
		Choice("browse_title", search.Word, search.By == session.ByTitle).
		Number("limit_num", search.Limit).Number("customerid", customer)
	p, err := s.get()
	if err != nil {
		return err
	}
	return ofShop(&p)
}

// Purchase implements session.Shop.
func (s *Shop) Purchase(customer int64, c *session.Cart) (b session.Bill, err error) {
	r := s.begin("dspurchase").Text("confirmpurchase", "yes").Number("customerid", customer)
	for _, l := range c.Lines {
		r.Number("item%5B%5D", l.Product).Number("quan%5B%5D", l.Quantity)
	}
	p, err := s.write()
	if err != nil {
		return b, err
	}
	if p.Says == webpage.SoldOut {
		return b, session.ErrSoldOut
	}
	if b.Order, err = p.Number("orderid"); err != nil {
		return b, session.InDoubt(err)
	}
	b.Cents = total(&p)
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
