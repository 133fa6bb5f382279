package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/client/webpage"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/session"
)

// site answers every page with the test's text and records the requests.
type site struct {
	*httptest.Server

	mu     sync.Mutex
	asked  []string
	values url.Values
	status int
	body   string
	length string // that it says the body has; empty is what it has
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.values = append(s.asked, r.URL.Path), r.URL.Query()
	w.Header().Set("Location", "http://else.example/")
	if s.length != "" {
		w.Header().Set("Content-Length", s.length)
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body)
}

// answers has it answer every page so from now on.
func (s *site) answers(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body = status, body
}

// promises has it say that its pages have a length.
func (s *site) promises(length string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.length = length
}

// requests are the pages that it was asked for, and the values of the last.
func (s *site) requests() (pages []string, values url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked), s.values
}

func start(t testing.TB, base string) (*site, *Shop) {
	s := &site{status: http.StatusOK}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	e := endpoint.Endpoint{Kind: httpwire.Kind, Network: "tcp", Address: s.Listener.Addr().String(), Payload: endpoint.With(endpoint.Pages{Base: base})}
	shop, err := Open(t.Context(), e, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shop.Close() })
	return s, shop
}

func htmlPage(body string) string {
	return "<!DOCTYPE html><html><body><a href=\"dsbrowse.php?customerid=99\">Browse</a>" + body + "</body></html>\n"
}

// call is a page that is asked for.
type call struct {
	page   string
	do     func(*Shop) (any, error)
	query  string // what the site must be asked
	answer string // a good one
	want   any
}

func calls() map[string]call {
	customer := data.Customer{FirstName: "Åsa", LastName: "O'Neil & Co", House: 7, Street: "AMBER", City: "St. Paul", State: "MN", Zip: 12345,
		Country: "US", Region: 1, Phone: 1234567890, CardType: 3, Card: 1234567812345678, CardYear: 2027, CardMonth: 4, Age: 44, Income: 20000, Gender: "F"}
	cart := &session.Cart{Lines: []session.Line{{Product: 3, Quantity: 1}, {Product: 10000, Quantity: 2}}}
	random := data.NewRand(1)
	opinion := data.NewOpinion(&random)
	form := url.Values{"customerid": {"5"}, "productid": {"8"}, "review_stars": {"4"},
		"review_summary": {string(opinion.AppendSummary(nil))}, "review_text": {string(opinion.AppendText(nil))}}
	return map[string]call{
		"login": {"dslogin", func(s *Shop) (any, error) { return s.Login(17) },
			"username=user17&password=password", `<input type="hidden" name="customerid" value="17">`, int64(17)},
		"login on another's page": {"dslogin", func(s *Shop) (any, error) { return s.Login(17) },
			"username=user17&password=password", "<INPUT VALUE='18' NAME=customerid TYPE=HIDDEN>", int64(18)},
		"register": {"dsnewcustomer", func(s *Shop) (any, error) { return s.Register(&customer, 9) },
			"firstname=%C3%85sa&lastname=O%27Neil+%26+Co&address1=7+AMBER+Street&address2=&city=St.+Paul&state=MN&zip=12345&country=US&" +
				"email=%C3%85sa.O%27Neil+%26+Co%40example.com&phone=1234567890&creditcardtype=3&creditcard=1234567812345678&ccexpmon=4&ccexpyr=2027&" +
				"username=newuser9&password=password&age=44&income=20000&gender=F", `<input name=customerid value=20001>`, int64(20001)},
		"browse by category": {"dsbrowse", func(s *Shop) (any, error) {
			return nil, s.Browse(5, session.Search{By: session.ByCategory, Category: 8, Limit: 3})
		}, "browsetype=category&browse_category=8&browse_actor=&browse_title=&limit_num=3&customerid=5", "", nil},
		"browse by title": {"dsbrowse", func(s *Shop) (any, error) {
			return nil, s.Browse(5, session.Search{By: session.ByTitle, Word: "A&B", Limit: 3})
		}, "browsetype=title&browse_category=&browse_actor=&browse_title=A%26B&limit_num=3&customerid=5", "", nil},
		"purchase": {"dspurchase", func(s *Shop) (any, error) { return s.Purchase(5, cart) },
			"confirmpurchase=yes&customerid=5&item[]=3&quan[]=1&item[]=10000&quan[]=2",
			`<input type="hidden" name="orderid" value="12001"><td class="total">45.67</td>`, session.Bill{Order: 12001, Cents: 4567}},
		"purchase on another's page": {"dspurchase", func(s *Shop) (any, error) { return s.Purchase(5, cart) },
			"confirmpurchase=yes&customerid=5&item[]=3&quan[]=1&item[]=10000&quan[]=2",
			`<input type=hidden name='orderid' value='12001'>`, session.Bill{Order: 12001}},
		"join": {"dsnewmember", func(s *Shop) (any, error) { return nil, s.Join(5, 2) },
			"customerid=5&membershiplevel=2", `<p class="member">Yes</p><input type="hidden" name="customerid" value="5">`, nil},
		"search reviews": {"dsbrowsereviews", func(s *Shop) (any, error) {
			return s.BrowseReviews(5, session.ReviewSearch{By: session.ByActor, Word: "LEE", Depth: 500, Limit: 10}, []int64{1})
		}, "browsereviewtype=actor&review_actor=LEE&review_title=&search_depth=500&limit_num=10&customerid=5",
			`<tr class="review"><td><input type="radio" name="reviewid" value="7"></td></tr><tr class="review"><td><input type="radio" name="reviewid" value="3"></td></tr>`, []int64{1, 7, 3}},
		"reviews by stars": {"dsgetreviews", func(s *Shop) (any, error) {
			return s.GetReviews(5, session.ProductReviews{Product: 8, Order: session.ByStars, Stars: 4, Limit: 10}, nil)
		}, "getreviewtype=star&productid=8&review_stars=4&limit_num=10&customerid=5", "<p>No review was found.</p>", []int64(nil)},
		"review": {"dsnewreview", func(s *Shop) (any, error) {
			return s.NewReview(5, &session.Review{Product: 8, Stars: 4, Opinion: opinion})
		}, form.Encode(), `<input type="hidden" name="reviewid" value="200001">`, int64(200001)},
		"rate": {"dsnewhelpfulness", func(s *Shop) (any, error) { return s.RateReview(5, 7, 9) },
			"customerid=5&review_helpfulness=9&reviewid=7", `<input type="hidden" name="reviewhelpfulnessid" value="77">`, int64(77)},
	}
}

func TestPages(t *testing.T) {
	for name, c := range calls() {
		t.Run(name, func(t *testing.T) {
			for base, path := range map[string]string{"": "/ds3/", "/shop/": "/shop/", "/": "/"} {
				s, shop := start(t, base)
				s.answers(http.StatusOK, htmlPage(c.answer))
				got, err := c.do(shop)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("got %v, %v; want %v", got, err, c.want)
				}
				asked, values := s.requests()
				if want := []string{path + c.page + ".php"}; !slices.Equal(asked, want) {
					t.Errorf("asked for %v, want %v", asked, want)
				}
				if want, err := url.ParseQuery(c.query); err != nil || want.Encode() != values.Encode() {
					t.Errorf("asked\n%v, want\n%v, %v", values.Encode(), want.Encode(), err)
				}
			}
		})
	}
}

// Every page can be bad in the same ways.
func TestBadPages(t *testing.T) {
	for name, bad := range map[string]struct {
		status            int
		body, class, says string
		doubtful          bool // whether something was written
	}{
		"a failure":                {500, htmlPage(`<p class="error">The tables are of version 2 &amp; old.</p>`), "http 500", "500: The tables are of version 2 & old.", true},
		"no database":              {503, htmlPage(`<p class="error">There is no database.</p>`), "http 503", "There is no database.", true},
		"no PHP":                   {502, "<html><head><title>502 Bad Gateway</title></head></html>", "http 502", "the server answered 502", true},
		"bad parameters":           {400, htmlPage(`<p class="error">There is no film 9.</p>`), "http 400", "There is no film 9.", false},
		"no page":                  {404, "not here", "http 404", "the server answered 404", false},
		"a redirect":               {301, "", httpwire.Redirected, `"http://else.example/"`, false},
		"success with a failure":   {200, htmlPage(`<p CLASS=x class='error'>Oh <b>dear</b>.</p>`), webpage.WrongPage, "it came with success and says: Oh", true},
		"a fatal error of PHP":     {200, htmlPage("<br />\n<b>Fatal error</b>:  Uncaught PDOException in <b>/x.php</b>"), webpage.WrongPage, "Fatal error : Uncaught", true},
		"a warning of PHP":         {200, htmlPage("\nWarning: Undefined index in /x.php on line 3"), webpage.WrongPage, "Warning: Undefined index", true},
		"half a page":              {200, "<!DOCTYPE html><html><title>Log in</title><body>dsbrowse ", httpwire.CutShort, `it has no end (</html>): it is "Log in"`, true},
		"a page of another site":   {200, "<html><title>Welcome to nginx!</title></html>", webpage.WrongPage, `it is "Welcome to nginx!"`, true},
		"nothing":                  {200, "", httpwire.CutShort, "it has no end", true},
		"a file that is no number": {200, "<html><title>x</title><input name=customerid value=abc><input name=orderid></html>", webpage.WrongPage, `it is "x"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			for what, c := range calls() {
				if bad.class == webpage.WrongPage && c.answer == "" && strings.Contains(bad.body, "dsbrowse") && !strings.Contains(bad.body, "error") && !strings.Contains(bad.body, "Warning") {
					continue
				}
				s, shop := start(t, "")
				s.answers(bad.status, bad.body)
				_, err := c.do(shop)
				if err == nil || driver.Classify(err) != bad.class || !strings.Contains(err.Error(), bad.says) || !strings.Contains(err.Error(), c.page) {
					t.Errorf("%s: got %v", what, err)
				}
				if got := err != session.InDoubt(err) && isDoubt(err); got != (bad.doubtful && writes(c.page)) { //nolint:errorlint // it is the same, unwrapped
					t.Errorf("%s: in doubt: %v", what, got)
				}
				if shop.Broken() {
					t.Errorf("%s: the connection is broken", what)
				}
				s.answers(http.StatusOK, htmlPage(c.answer))
				if _, err := c.do(shop); err != nil {
					t.Errorf("%s: then: %v", what, err)
				}
			}
		})
	}
}

func writes(page string) bool {
	return slices.Contains([]string{"dspurchase", "dsnewmember", "dsnewreview", "dsnewhelpfulness"}, page)
}

// isDoubt reports whether the error has the type of those in doubt.
func isDoubt(err error) bool {
	return fmt.Sprintf("%T", err) == fmt.Sprintf("%T", session.InDoubt(errors.New("")))
}

func TestRefusals(t *testing.T) {
	all := calls()
	for _, c := range []struct{ call, body, want string }{
		{"register", `<p class="taken">Taken.</p>`, session.ErrTaken.Error()},
		{"join", `<p class="taken">You are one.</p>`, session.ErrMember.Error()},
		{"purchase", `<p class="soldout">No more.</p>`, session.ErrSoldOut.Error()},
		{"login", `<p class="refused">No.</p>`, "page dslogin: it refuses user17 with the usual password: the database is not of the size that the study says"},
	} {
		s, shop := start(t, "")
		s.answers(http.StatusOK, htmlPage(c.body))
		if _, err := all[c.call].do(shop); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.call, err, c.want)
		}
	}
}

func TestCutOffAnswerToAnOrder(t *testing.T) {
	s, shop := start(t, "")
	s.answers(http.StatusOK, htmlPage(""))
	s.promises("9999")
	_, err := calls()["purchase"].do(shop)
	if driver.Classify(err) != httpwire.CutShort || !isDoubt(err) || !shop.Broken() {
		t.Errorf("got %v, in doubt: %v, broken: %v", err, isDoubt(err), shop.Broken())
	}
}

// FuzzPages: whatever a site sends, nothing panics.
func FuzzPages(f *testing.F) {
	f.Add(htmlPage(`<input type="hidden" name="customerid" value="17"><td class="total">45.67</td>`))
	f.Add(htmlPage(`<p class="error">x</p>`))
	f.Add("<html><title>\xff<input name=reviewid value='1\"></html>")
	f.Fuzz(func(t *testing.T, body string) {
		for _, status := range []int{200, 500} {
			if _, err := webpage.Read("dslogin", httpwire.Page{Status: status, Body: []byte(body)}); err != nil && len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		}
		p := webpage.Page{Name: "dslogin", Body: []byte(body)}
		n, err := p.Number("customerid")
		if err == nil && n <= 0 {
			t.Errorf("number %d", n)
		}
		p.Numbers("reviewid", nil)
		if total(&p) < 0 {
			t.Error("a negative total")
		}
		_ = ofShop(&p)
	})
}

// Reading a page allocates nothing.
func TestReadingAllocatesNothing(t *testing.T) {
	row := `<tr class="review"><td><input type="radio" name="reviewid" value="7"></td><td>A film &amp; more</td></tr>`
	body := []byte(htmlPage(strings.Repeat(row, 20) + `<input type="hidden" name="orderid" value="12"><td class="total">1.23</td>`))
	var found []int64
	n := testing.AllocsPerRun(100, func() {
		p, err := webpage.Read("dspurchase", httpwire.Page{Status: 200, Body: body})
		if err != nil || ofShop(&p) != nil || total(&p) != 123 {
			t.Error("the page is not read")
		}
		if _, err := p.Number("orderid"); err != nil {
			t.Error(err)
		}
		found = p.Numbers("reviewid", found[:0])
	})
	if n > 0 || len(found) != 20 {
		t.Errorf("%v allocations, %d reviews", n, len(found))
	}
}

func BenchmarkReadPage(b *testing.B) {
	row := `<tr class="film"><td><input type="checkbox" name="item[]" value="7"></td><td>A FILM</td><td>SOME ACTOR</td><td>12.99</td></tr>`
	body := []byte(htmlPage(strings.Repeat(row, 10)))
	b.ReportAllocs()
	for b.Loop() {
		p, err := webpage.Read("dsbrowse", httpwire.Page{Status: 200, Body: body})
		if err != nil || ofShop(&p) != nil {
			b.Fatal("the page is not read")
		}
	}
}
