package pages_test

import (
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plimsoll/internal/workload/dvdstore/pages"
)

func TestFiles(t *testing.T) {
	php, err := exec.LookPath("php")
	if err != nil {
		t.Skip("php is not installed (Debian package php-cli)")
	}
	for version, want := range map[int]int{2: 4, 3: 9} {
		n := 0
		for path, text := range pages.Files(version) {
			if strings.HasPrefix(path, pages.Directory(version)+"/") {
				n++
			}
			if !strings.Contains(text, "declare(strict_types=1);") {
				t.Errorf("%s is not strict about types", path)
			}
			lint := exec.CommandContext(t.Context(), php, "-l")
			lint.Stdin = strings.NewReader(text)
			if out, err := lint.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", path, err, out)
			}
		}
		if n != want {
			t.Errorf("version %d has %d pages, want %d", version, n, want)
		}
	}
}

// TestShop tries the shop of version 2, in the order in which a customer would.
func TestShop(t *testing.T) {
	for _, e := range engines {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			s := start(t, e, parameters(2, "1MB"), map[string]string{"ds2/abandon.php": abandon, "ds2/cached.php": cached})
			for _, step := range []struct {
				name string
				run  func(*testing.T)
			}{
				{"sessions pass the audit", s.sessions},
				{"servers are separate", s.separate},
				{"forms", func(t *testing.T) { s.forms(t, 2) }},
				{"login", s.login},
				{"new customer", s.newCustomer},
				{"browse", s.browse},
				{"cart", s.cart},
				{"bad parameters", func(t *testing.T) { s.badParameters(t, 2) }},
				{"hostile parameters", func(t *testing.T) { s.hostile(t, 2) }},
				{"other requests", s.otherRequests},
				{"opcache", s.opcache},
				{"wrong schema", s.wrongSchema},
				{"orders pass the audit", s.orders},
				{"orders pass the audit after a crash of the database", s.crash},
				{"impatient customers", s.impatient},
				{"sold out", s.soldOut},
				{"an open transaction is not inherited", s.abandoned},
				{"deadlock", s.deadlock},
				{"database killed", s.killed},
			} {
				t.Run(step.name, step.run)
			}
		})
	}
}

func (s *stack) forms(t *testing.T, version int) {
	for _, name := range pages.Names(version) {
		p := s.get(t, pages.Directory(version), name)
		if name != "dspurchase" && len(p.elements("form", "action", name+".php")) == 0 {
			t.Errorf("%s has no form\n%s", name, p.text)
		}
		if len(p.elements("input", "type", "hidden")) > 0 && len(p.elements("input", "name", "customerid")) > 0 && p.input("customerid") != "" {
			t.Errorf("%s knows a customer", name)
		}
		p = s.get(t, pages.Directory(version), name, "customerid", "7")
		if !strings.Contains(p.text, "dsbrowse.php?customerid=7") {
			t.Errorf("%s forgets who the customer is", name)
		}
	}
}

func (s *stack) login(t *testing.T) {
	var customer, orders int
	s.query(t, `select customerid, count(*) from {cust_hist} where customerid > 1 group by customerid having count(*) > 2 and count(*) < 10 order by customerid limit 1`, &customer, &orders)
	p := s.get(t, "ds2", "dslogin", "username", fmt.Sprintf("user%d", customer), "password", "password")
	if got := p.input("customerid"); got != strconv.Itoa(customer) {
		t.Errorf("customer %s, want %d", got, customer)
	}
	films := p.elements("tr", "class", "film")
	if len(films) != orders {
		t.Fatalf("%d films, want %d", len(films), orders)
	}
	var title, actor, related string
	s.query(t, fmt.Sprintf(`select p.title, p.actor, r.title from {cust_hist} h join {products} p on p.prod_id = h.prod_id
		join {products} r on r.prod_id = p.common_prod_id where h.customerid = %d and p.title = '%s' order by orderid desc limit 1`, customer, cells(films[0])[0]), &title, &actor, &related)
	if got := cells(films[0]); !slices.Equal(got, []string{title, actor, related}) {
		t.Errorf("film %q, want %q, %q, %q", got, title, actor, related)
	}
	for _, wrong := range [][2]string{{"user1", "passwort"}, {"user0", "password"}, {"' or 1=1 --", "' or 1=1 --"}, {"user1", "' or '1'='1"}} {
		p := s.get(t, "ds2", "dslogin", "username", wrong[0], "password", wrong[1])
		if p.class("p", "refused") == "" || len(p.elements("input", "name", "customerid")) > 0 {
			t.Errorf("%v was let in", wrong)
		}
	}
}

// newcomer is a customer who registers.
func newcomer(name string, change ...string) []string {
	v := []string{"firstname", "Ann", "lastname", "Other", "address1", "1 Street", "address2", "", "city", "Town", "state", "NY", "zip", "12345", "country", "US",
		"email", "a@b.c", "phone", "123", "creditcardtype", "2", "creditcard", "1234123412341234", "ccexpmon", "3", "ccexpyr", "2027",
		"username", name, "password", "secret", "age", "30", "income", "40000", "gender", "F"}
	for i := 0; i < len(change); i += 2 {
		v[slices.Index(v, change[i])+1] = change[i+1]
	}
	return v
}

func (s *stack) newCustomer(t *testing.T) {
	p := s.get(t, "ds2", "dsnewcustomer", newcomer("newuser17")...)
	customer := p.input("customerid")
	var region, age int
	var expiration, zip, gender string
	s.query(t, "select region, age, creditcardexpiration, zip, gender from {customers} where customerid = "+customer, &region, &age, &expiration, &zip, &gender)
	if got := fmt.Sprintln(region, age, expiration, zip, gender); got != "1 30 2027/03 12345 F\n" {
		t.Errorf("stored: %s", got)
	}
	if got := s.get(t, "ds2", "dslogin", "username", "newuser17", "password", "secret").input("customerid"); got != customer {
		t.Errorf("logs in as %s, is %s", got, customer)
	}
	if p = s.get(t, "ds2", "dsnewcustomer", newcomer("newuser17")...); p.class("p", "taken") == "" || len(p.elements("input", "name", "customerid")) > 0 {
		t.Error("a name was given twice")
	}
	p = s.get(t, "ds2", "dsnewcustomer", newcomer("newuser18", "country", "Côte d'Ivoire", "zip", "", "gender", "", "state", "")...)
	s.query(t, "select region, zip from {customers} where customerid = "+p.input("customerid"), &region, &zip)
	if region != 2 || strings.Trim(zip, "0") != "" {
		t.Errorf("region %d, zip %s", region, zip)
	}
}

func (s *stack) browse(t *testing.T) {
	var id int
	var title, actor, price string
	s.query(t, "select prod_id, title, actor, price from {products} where special = 1 order by prod_id limit 1", &id, &title, &actor, &price)
	var category, specials int
	s.query(t, fmt.Sprintf("select category, (select count(*) from {products} o where o.category = p.category and special = 1) from {products} p where prod_id = %d", id), &category, &specials)
	p := s.get(t, "ds2", "dsbrowse", "browsetype", "category", "browse_category", strconv.Itoa(category), "browse_actor", "", "browse_title", "", "limit_num", "1000", "customerid", "5")
	films := p.elements("tr", "class", "film")
	if len(films) != specials || p.input("customerid") != "5" {
		t.Errorf("%d films for customer %s, want %d for 5", len(films), p.input("customerid"), specials)
	}
	word, family := strings.Fields(title)[0], strings.Fields(actor)[1]
	for _, search := range [][]string{{"browsetype", "title", "browse_title", word}, {"browsetype", "actor", "browse_actor", family}} {
		p := s.get(t, "ds2", "dsbrowse", append(search, "limit_num", "10000")...)
		wanted := func(row *html.Node) bool { return slices.Equal(cells(row), []string{"", title, actor, price}) }
		if !slices.ContainsFunc(p.elements("tr", "class", "film"), wanted) {
			t.Errorf("%q: film %d is not found\n%s", search, id, p.text)
		}
	}
	if got := len(s.get(t, "ds2", "dsbrowse", "browsetype", "title", "browse_title", word, "limit_num", "1").elements("tr", "class", "film")); got != 1 {
		t.Errorf("%d films, want 1", got)
	}
	if p := s.get(t, "ds2", "dsbrowse", "browsetype", "title", "browse_title", "nosuchword", "limit_num", "1", "customerid", "9"); len(p.elements("tr", "class", "film")) != 0 {
		t.Error("found a film that does not exist")
	}
}

func (s *stack) cart(t *testing.T) {
	var first, second string
	s.query(t, "select price from {products} where prod_id = 7", &first)
	s.query(t, "select price from {products} where prod_id = 9", &second)
	before := s.count(t, "orders")
	p := s.get(t, "ds2", "dspurchase", "customerid", "3", "item[]", "9", "quan[]", "1", "item[]", "7", "quan[]", "2", "item[]", "9", "quan[]", "1")
	if total := cents(t, p.class("td", "total")); total != total2(2*cents(t, first)+2*cents(t, second)) || len(p.elements("tr", "class", "line")) != 3 {
		t.Errorf("total %d with prices %s and %s\n%s", total, first, second, p.text)
	}
	if p.input("confirmpurchase") != "yes" || p.input("customerid") != "3" || s.count(t, "orders") != before {
		t.Errorf("the cart cannot be bought, or is an order already\n%s", p.text)
	}
	p = s.get(t, "ds2", "dspurchase", "customerid", "3", "item[]", "7") // as the list of films sends it
	if got := attribute(p.elements("input", "name", "quan[]")[0], "value"); got != "1" {
		t.Errorf("%s copies, want 1", got)
	}
}

// cents reads an amount of money.
func cents(t *testing.T, amount string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
	if err != nil || len(amount) < 4 || amount[len(amount)-3] != '.' {
		t.Fatalf("%q is not an amount of money", amount)
	}
	return n
}

// total2 adds the tax.
func total2(net int64) int64 { return net + (net*825+5000)/10_000 }

// good are parameters that every page takes.
func good(version int) map[string][]string {
	all := map[string][]string{
		"dslogin":       {"username", "user1", "password", "password"},
		"dsnewcustomer": newcomer("newuser1000"),
		"dsbrowse":      {"browsetype", "title", "browse_title", "some", "limit_num", "5", "customerid", "1"},
		"dspurchase":    {"confirmpurchase", "no", "customerid", "1", "item[]", "1", "quan[]", "1"},
	}
	if version == 3 {
		maps.Copy(all, map[string][]string{
			"dsnewmember":      {"customerid", "1", "membershiplevel", "1"},
			"dsbrowsereviews":  {"browsereviewtype", "actor", "review_actor", "some", "search_depth", "500", "limit_num", "10", "customerid", "1"},
			"dsgetreviews":     {"getreviewtype", "star", "productid", "1", "review_stars", "4", "limit_num", "10", "customerid", "1"},
			"dsnewreview":      {"customerid", "1", "productid", "1", "review_summary", "good", "review_text", "very good", "review_stars", "5"},
			"dsnewhelpfulness": {"customerid", "1", "review_helpfulness", "3", "reviewid", "1"},
		})
	}
	return all
}

// optional parameters may be left out, or empty.
var optional = []string{"customerid dsbrowse", "customerid dsbrowsereviews", "customerid dsgetreviews", "confirmpurchase dspurchase", "quan[] dspurchase",
	"address2 dsnewcustomer", "state dsnewcustomer", "zip dsnewcustomer", "email dsnewcustomer", "phone dsnewcustomer", "gender dsnewcustomer"}

func (s *stack) badParameters(t *testing.T, version int) {
	dir := pages.Directory(version)
	for name, parameters := range good(version) {
		for i := 0; i < len(parameters); i += 2 {
			key := parameters[i]
			change := func(value string) []string {
				changed := slices.Clone(parameters)
				changed[i+1] = value
				return changed
			}
			if !slices.Contains(optional, key+" "+name) {
				without := slices.Delete(slices.Clone(parameters), i, i+2)
				if without[0] == "customerid" && len(without) == 2 {
					s.get(t, dir, name, without...) // which is how to ask for the form
				} else if message := s.fails(t, 400, dir, name, without...); !strings.Contains(message, key) {
					t.Errorf("%s without %s: %s", name, key, message)
				}
				s.fails(t, 400, dir, name, change("")...)
			}
			for _, wrong := range []string{strings.Repeat("x", 1001), "\xff\xfe", "a\x00b"} {
				if message := s.fails(t, 400, dir, name, change(wrong)...); !strings.Contains(message, strings.TrimSuffix(key, "[]")) {
					t.Errorf("%s with %s=%.10q: %s", name, key, wrong, message)
				}
			}
			if _, err := strconv.Atoi(parameters[i+1]); err == nil && !slices.Contains([]string{"phone", "creditcard"}, key) {
				for _, wrong := range []string{"-1", "99999999999", "1e3", "1.5", " 1", "0x1", "1\n"} {
					s.fails(t, 400, dir, name, change(wrong)...)
				}
			}
			if !strings.HasSuffix(key, "[]") {
				renamed := slices.Clone(parameters)
				renamed[i] += "[]"
				s.fails(t, 400, dir, name, renamed...)
			}
		}
	}
	s.fails(t, 400, "ds2", "dspurchase", "customerid", "1", "item[]", "1", "item[]", "2", "quan[]", "1")
	s.fails(t, 400, "ds2", "dspurchase", "customerid", "1", "item[][]", "1")
	s.fails(t, 400, "ds2", "dspurchase", "customerid", "1", "item[]", "1000000000", "quan[]", "1", "confirmpurchase", "yes")
	s.fails(t, 400, "ds2", "dspurchase", "customerid", "1000000000", "item[]", "1", "quan[]", "1", "confirmpurchase", "yes")
	var many []string
	for range 201 {
		many = append(many, "item[]", "1", "quan[]", "1")
	}
	s.fails(t, 400, "ds2", "dspurchase", append(many, "customerid", "1")...)
}

const attack = `\"><script>x()</script>'; drop table a; --`

func (s *stack) hostile(t *testing.T, version int) {
	before := s.count(t, "customers")
	added := 0
	for name, parameters := range good(version) {
		for i := 0; i < len(parameters); i += 2 {
			hostile := slices.Clone(parameters)
			hostile[i+1] = attack
			if name == "dsnewcustomer" && parameters[i] != "username" {
				hostile[slices.Index(hostile, "username")+1] = fmt.Sprint("newuser", 2000+i)
			}
			p := s.request(t, pages.Directory(version), name, values(hostile...)) // checks that the page is well-formed and has no script
			if p.status != 200 && p.status != 400 {
				t.Errorf("%s with %s: status %d", name, parameters[i], p.status)
			}
			if name == "dsnewcustomer" && p.status == 200 {
				added++
			}
		}
	}
	if after := s.count(t, "customers"); after != before+added {
		t.Errorf("%d customers, then %d; %d were added", before, after, added)
	}
	// what was stored as text comes back as text
	p := s.get(t, "ds2", "dslogin", "username", attack, "password", "secret")
	if !strings.Contains(text(p.root), "Welcome, "+attack) {
		t.Errorf("the name is shown otherwise\n%s", p.text)
	}
}

func (s *stack) otherRequests(t *testing.T) {
	r, err := s.client.Post("http://shop/ds2/dslogin.php", "application/x-www-form-urlencoded", strings.NewReader("username=user1&password=password"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 405 || r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %s, allowed %q", r.Status, r.Header.Get("Allow"))
	}
	for path := range pages.Files(3) {
		if strings.HasPrefix(path, "lib/") {
			r, err := s.client.Get("http://shop/" + path)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if r.StatusCode != 404 {
				t.Errorf("%s: %s", path, r.Status)
			}
		}
	}
}

func (s *stack) wrongSchema(t *testing.T) {
	for name, parameters := range good(3) {
		if message := s.fails(t, 500, "ds3", name, parameters...); !strings.Contains(message, "schema") {
			t.Errorf("%s: %s", name, message)
		}
	}
	s.get(t, "ds2", "dslogin", good(2)["dslogin"]...)
}

// cached is a page that says whether the opcode cache has the shop.
const cached = `<?php echo opcache_is_script_cached(dirname(__DIR__) . '/lib/shop.php') && opcache_is_script_cached(__DIR__ . '/dslogin.php') ? 'cached' : 'not cached';`

func (s *stack) opcache(t *testing.T) {
	r, err := s.client.Get("http://shop/ds2/cached.php")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); string(text) != "cached" {
		t.Errorf("the pages are %q, %v", text, err)
	}
}
