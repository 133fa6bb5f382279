package pages_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestReviews tries what version 3 adds.
func TestReviews(t *testing.T) {
	for _, e := range engines {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			p := parameters(3, "1MB")
			p.ReviewsPerProduct = 5
			s := start(t, e, p, nil)
			for _, step := range []struct {
				name string
				run  func(*testing.T)
			}{
				{"sessions pass the audit", s.sessions},
				{"forms", func(t *testing.T) { s.forms(t, 3) }},
				{"reviews of a film", s.reviewsOfFilm},
				{"search", s.searchReviews},
				{"new member", s.newMember},
				{"new review", s.newReview},
				{"rating", s.rate},
				{"a customer's way", s.way},
				{"bad parameters", func(t *testing.T) { s.badParameters(t, 3) }},
				{"who is not there", s.unknown},
				{"hostile parameters", func(t *testing.T) { s.hostile(t, 3) }},
			} {
				t.Run(step.name, step.run)
			}
		})
	}
}

// shown are the reviews on a page, by number in the order shown.
func (p page) shown() (numbers []int, rows [][]string) {
	p.t.Helper()
	for _, row := range p.elements("tr", "class", "review") {
		radio := row.FirstChild.FirstChild
		number, err := strconv.Atoi(attribute(radio, "value"))
		if err != nil || radio.Data != "input" || attribute(radio, "name") != "reviewid" {
			p.t.Fatalf("%s: a review without number", p.of)
		}
		numbers, rows = append(numbers, number), append(rows, cells(row))
	}
	return numbers, rows
}

// best asks the database for the most helpful reviews that meet a condition.
func (s *stack) best(t *testing.T, condition string) (numbers []int) {
	t.Helper()
	var n int
	s.query(t, "select count(*) from {reviews} r where "+condition, &n)
	for i := range n {
		var number int
		s.query(t, fmt.Sprintf(`select r.review_id from {reviews} r left join {reviews_helpfulness} h on h.review_id = r.review_id
			where %s group by r.review_id order by coalesce(sum(h.helpfulness), 0) desc, r.review_id limit 1 offset %d`, condition, i), &number)
		numbers = append(numbers, number)
	}
	return numbers
}

func (s *stack) reviewsOfFilm(t *testing.T) {
	var film, stars int
	s.query(t, "select prod_id, min(stars) from {reviews} group by prod_id having count(*) > 3 order by prod_id limit 1", &film, &stars)
	of := fmt.Sprintf("r.prod_id = %d", film)
	get := func(parameters ...string) ([]int, [][]string) {
		return s.get(t, "ds3", "dsgetreviews", append(parameters, "productid", strconv.Itoa(film), "customerid", "4")...).shown()
	}
	want := s.best(t, of)
	if got, _ := get("getreviewtype", "noorder", "review_stars", "", "limit_num", "100"); !slices.Equal(got, want) {
		t.Errorf("reviews %v, want %v", got, want)
	}
	got, rows := get("getreviewtype", "noorder", "limit_num", "2")
	if !slices.Equal(got, want[:2]) {
		t.Errorf("reviews %v, want %v", got, want[:2])
	}
	var stored, date, summary, body, helpfulness string
	s.query(t, fmt.Sprintf(`select stars, date(review_date), review_summary, review_text, (select sum(helpfulness) from {reviews_helpfulness} h where h.review_id = r.review_id)
		from {reviews} r where review_id = %d`, want[0]), &stored, &date, &summary, &body, &helpfulness)
	if first := []string{"", strconv.Itoa(film), stored, date[:10], summary, body, helpfulness}; !slices.Equal(rows[0], first) {
		t.Errorf("review %q, want %q", rows[0], first)
	}
	want = s.best(t, fmt.Sprintf("%s and r.stars = %d", of, stars))
	if got, _ := get("getreviewtype", "star", "review_stars", strconv.Itoa(stars), "limit_num", "100"); !slices.Equal(got, want) {
		t.Errorf("reviews of %d stars %v, want %v", stars, got, want)
	}
	_, rows = get("getreviewtype", "date", "limit_num", "100")
	later := func(a, b []string) int { return strings.Compare(b[3], a[3]) }
	if len(rows) < 4 || !slices.IsSortedFunc(rows, later) {
		t.Errorf("reviews by date are %q", rows)
	}
}

func (s *stack) searchReviews(t *testing.T) {
	var title, actor string
	s.query(t, "select title, actor from {products} where prod_id = 11", &title, &actor)
	word, family := strings.Fields(title)[0], strings.Fields(actor)[1]
	want := s.best(t, fmt.Sprintf("r.prod_id in (select prod_id from {products} where title like '%s %%' or title like '%% %s')", word, word))
	search := func(parameters ...string) []int {
		got, _ := s.get(t, "ds3", "dsbrowsereviews", append(parameters, "customerid", "4")...).shown()
		return got
	}
	if got := search("browsereviewtype", "title", "review_title", word, "search_depth", "100000", "limit_num", "10"); len(want) == 0 || !slices.Equal(got, want[:min(len(want), 10)]) {
		t.Errorf("reviews %v, want %v", got, want)
	}
	want = s.best(t, fmt.Sprintf("r.prod_id in (select prod_id from {products} where actor like '%% %s')", family))
	if got := search("browsereviewtype", "actor", "review_actor", family, "search_depth", "100000", "limit_num", "3"); !slices.Equal(got, want[:3]) {
		t.Errorf("reviews %v, want %v", got, want[:3])
	}
	if got := search("browsereviewtype", "actor", "review_actor", family, "search_depth", "2", "limit_num", "10"); len(got) != 2 {
		t.Errorf("reviews %v, want two", got)
	}
	if got := search("browsereviewtype", "actor", "review_actor", "nobody", "search_depth", "2", "limit_num", "10"); len(got) != 0 {
		t.Errorf("reviews %v, want none", got)
	}
}

func (s *stack) newMember(t *testing.T) {
	var customer, level int
	s.query(t, "select min(customerid) from {customers} where customerid not in (select customerid from {membership})", &customer)
	who := []string{"customerid", strconv.Itoa(customer), "membershiplevel", "2"}
	p := s.get(t, "ds3", "dsnewmember", who...)
	if p.class("p", "member") == "" || p.input("customerid") != strconv.Itoa(customer) {
		t.Error(p.text)
	}
	s.query(t, fmt.Sprintf("select membershiptype from {membership} where customerid = %d and expiredate > current_date", customer), &level)
	if level != 2 {
		t.Errorf("level %d, want 2", level)
	}
	if p := s.get(t, "ds3", "dsnewmember", who...); p.class("p", "taken") == "" || len(p.elements("p", "class", "member")) > 0 {
		t.Error("became a member twice")
	}
}

func (s *stack) newReview(t *testing.T) {
	const summary, body = `5 > 4 & "fine"`, "Größte <b>Kunst</b>;\n'); --"
	p := s.get(t, "ds3", "dsnewreview", "customerid", "3", "productid", "12", "review_summary", summary, "review_text", body, "review_stars", "4")
	number, err := strconv.Atoi(p.input("reviewid"))
	if err != nil {
		t.Fatal(err)
	}
	var film, customer, stars int
	var storedSummary, storedText string
	s.query(t, fmt.Sprintf("select prod_id, customerid, stars, review_summary, review_text from {reviews} where review_id = %d", number), &film, &customer, &stars, &storedSummary, &storedText)
	if film != 12 || customer != 3 || stars != 4 || storedSummary != summary || storedText != body {
		t.Errorf("stored: %d %d %d %q %q", film, customer, stars, storedSummary, storedText)
	}
	numbers, rows := s.get(t, "ds3", "dsgetreviews", "getreviewtype", "date", "productid", "12", "limit_num", "1").shown()
	if !slices.Equal(numbers, []int{number}) || rows[0][4] != summary || rows[0][5] != body || rows[0][6] != "0" {
		t.Errorf("shown: %v %q", numbers, rows)
	}
}

func (s *stack) rate(t *testing.T) {
	p := s.get(t, "ds3", "dsnewhelpfulness", "customerid", "3", "review_helpfulness", "9", "reviewid", "2")
	var review, customer, helpfulness int
	s.query(t, "select review_id, customerid, helpfulness from {reviews_helpfulness} where review_helpfulness_id = "+p.input("reviewhelpfulnessid"), &review, &customer, &helpfulness)
	if review != 2 || customer != 3 || helpfulness != 9 {
		t.Errorf("stored: %d %d %d", review, customer, helpfulness)
	}
}

// way follows the links and forms of the pages of version 3 as a person at a
// browser does: log in, browse, put a film into the cart, buy it.
func (s *stack) way(t *testing.T) {
	p := s.get(t, "ds3", "dslogin", "username", "user1", "password", "password")
	browse := p.link("Browse")
	if browse != "dsbrowse.php?customerid=1" {
		t.Fatalf("the link is %q", browse)
	}
	p = s.get(t, "ds3", "dsbrowse", "customerid", "1")
	search := fields(p.elements("form", "action", "dsbrowse.php")[1])
	var actor string
	s.query(t, "select actor from {products} where prod_id = 3", &actor)
	search["browse_actor"] = actor
	p = s.get(t, "ds3", "dsbrowse", flat(search)...)
	cart := fields(p.elements("form", "action", "dspurchase.php")[0])
	p = s.get(t, "ds3", "dspurchase", flat(cart)...)
	buy := fields(p.elements("form", "action", "dspurchase.php")[0])
	if p = s.get(t, "ds3", "dspurchase", flat(buy)...); p.input("orderid") == "" {
		t.Error(p.text)
	}
}

// link returns the address of the link with a label.
func (p page) link(label string) string {
	for n := range p.root.Descendants() {
		if n.Data == "a" && text(n) == label {
			return attribute(n, "href")
		}
	}
	return ""
}

// fields are the names and values of the inputs of a form.
func fields(form *html.Node) map[string]string {
	all := map[string]string{}
	for n := range form.Descendants() {
		if n.Type == html.ElementNode && n.Data == "input" {
			all[attribute(n, "name")] = attribute(n, "value")
		}
	}
	return all
}

func flat(values map[string]string) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, name, values[name])
	}
	return all
}

func (s *stack) unknown(t *testing.T) {
	for name, change := range map[string][]string{
		"dsnewmember":      {"customerid"},
		"dsnewreview":      {"customerid", "productid"},
		"dsnewhelpfulness": {"customerid", "reviewid"},
	} {
		for _, key := range change {
			parameters := slices.Clone(good(3)[name])
			parameters[slices.Index(parameters, key)+1] = "1000000000"
			if message := s.fails(t, 400, "ds3", name, parameters...); !strings.Contains(message, "1000000000") {
				t.Errorf("%s, %s: %s", name, key, message)
			}
		}
	}
}
