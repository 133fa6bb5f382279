package dvdstore_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/internal/workload/dvdstore/receipt"
	"plimsoll/test/nightly"
)

func version3(change func(*dvdstore.Parameters)) *dvdstore.Parameters {
	return parameters(func(p *dvdstore.Parameters) { p.Version, p.Size = 3, "1MB"; change(p) })
}

// load starts a server and loads the shop into it.
func load(t *testing.T, e app.Engine, p workload.Parameters) *workloadtest.Instance {
	t.Helper()
	i := workloadtest.Start(t, e, "db", dvdstore.Workload{}.Dataset(p, workload.Kinds{"db": e.Kind()}, 1))
	if err := (dvdstore.Workload{}).Prepare(t.Context(), i.Admin(), p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	return i
}

func TestLoadVersion3(t *testing.T) {
	for _, e := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} {
		t.Run(e.Name(), func(t *testing.T) {
			i := load(t, e, version3(func(*dvdstore.Parameters) {}))
			to := i.Target().Endpoint("db") // as a user of the shop
			db := dvdstoretest.Open(t, to)
			for query, want := range map[string]int64{
				"select count(*) from {membership}": 200,
				"select count(*) from {reviews}":    20_000,
				"select count(distinct review_id) from {reviews_helpfulness} where helpfulness between 1 and 10": 20_000,
				"select count(distinct membership_item) from {products}":                                         4,
			} {
				if got := number(t, db, to, query); got != want {
					t.Errorf("%s: %d, want %d", query, got, want)
				}
			}
			last := number(t, db, to, "select max(review_helpfulness_id) from {reviews_helpfulness}")
			execute(t, db, to,
				"insert into {reviews} (prod_id, review_date, stars, customerid, review_summary, review_text) values (1, current_date, 5, 1, 'a', 'b')",
				"insert into {reviews_helpfulness} (review_id, customerid, helpfulness) values (20001, 1, 10)")
			if got := number(t, db, to, "select max(review_helpfulness_id) from {reviews_helpfulness} where review_id = 20001"); got != last+1 {
				t.Errorf("the first new rating has number %d, want %d", got, last+1)
			}
			execute(t, db, to, "delete from {reviews} where review_id = 1")
			if got := number(t, db, to, "select count(*) from {reviews_helpfulness} where review_id = 1"); got != 0 {
				t.Errorf("a review that is gone has %d ratings", got)
			}
		})
	}
}

const (
	reviewsCheck = "loaded reviews are all there and unchanged"
	ratingsCheck = "loaded ratings of reviews are all there and unchanged"
)

// TestAuditOfLoadedReviews changes columns of the loaded rows and repairs each before the
// next change. At last it removes rows.
func TestAuditOfLoadedReviews(t *testing.T) {
	const (
		review   = "update {reviews} set %s where review_id = 4321"
		rating   = "update {reviews_helpfulness} set %s where review_helpfulness_id = 54321"
		exchange = "update {reviews_helpfulness} set customerid = customerid + case review_helpfulness_id when 7 then %s end where review_helpfulness_id in (7, 8)"
		everyRow = -1
	)
	damages := []struct {
		name, statement, change, repair string
		check, first                    string
		bad                             int64
	}{
		{"a date", review, "review_date = review_date + interval '1' day", "review_date = review_date - interval '1' day", reviewsCheck, "review 4321 has other contents", 1},
		{"a product and stars", review, "prod_id = prod_id + 1, stars = stars + 1", "prod_id = prod_id - 1, stars = stars - 1", reviewsCheck, "review 4321 has other contents", 1},
		{"a letter", review, "review_text = concat(review_text, '!')", "review_text = substr(review_text, 1, length(review_text) - 1)", reviewsCheck, "review 4321 has other contents", 1},
		{"a rating", rating, "helpfulness = helpfulness + 1", "helpfulness = helpfulness - 1", ratingsCheck, "rating 54321 has other contents", 1},
		{"a rating's review", rating, "review_id = review_id + 1", "review_id = review_id - 1", ratingsCheck, "rating 54321 has other contents", 1},
		{"ratings exchanged", exchange, "1 else -1", "-1 else 1", ratingsCheck, "rating 7 has other contents", 2},
		{"a review gone", "delete from {reviews} where review_id = %s", "5000", "", reviewsCheck, "review 5000 is missing", 1},
		{"all reviews gone", "delete from {reviews} where review_id > %s", "0", "", ratingsCheck, "rating 1 is missing", everyRow},
	}
	for _, e := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} {
		t.Run(e.Name(), func(t *testing.T) {
			p := version3(func(p *dvdstore.Parameters) { p.ReviewsPerProduct, p.PctMembers = 5, 0 })
			i := load(t, e, p)
			to := i.Admin().Endpoint("db")
			db := dvdstoretest.Open(t, to)
			if why := audit(t, i, p); why != "" {
				t.Fatalf("before any damage: %s", why)
			}
			for _, d := range damages {
				execute(t, db, to, fmt.Sprintf(d.statement, d.change))
				c := failed(t, i, p, d.check)
				if c.Examples[0] != d.first || c.Expected-c.Found != d.bad && (d.bad != everyRow || c.Found != 0) {
					t.Errorf("%s: expected %d, found %d: %q; want %d bad ones and %q first", d.name, c.Expected, c.Found, c.Examples, d.bad, d.first)
				}
				if d.repair != "" {
					execute(t, db, to, fmt.Sprintf(d.statement, d.repair))
				}
			}
		})
	}
}

func TestAnotherVersionIsNotAudited(t *testing.T) {
	anotherVersion(t, load(t, postgres.Engine{}, small())) // MariaDB: TestNamesOfTheOriginal
}

// anotherVersion audits an instance of version 2 as one of version 3.
func anotherVersion(t *testing.T, i *workloadtest.Instance) {
	t.Helper()
	p := version3(func(*dvdstore.Parameters) {})
	_, err := dvdstore.Workload{}.Audit(t.Context(), i.Target(), p, 1, func(func([]byte) bool) error { return nil })
	if err == nil || !strings.Contains(strings.ToLower(err.Error()), "no table membership") {
		t.Errorf("a database of version 2 audited as version 3: %v", err)
	}
}

// failed audits and gives the check of a name, which must have failed.
func failed(t *testing.T, i *workloadtest.Instance, p workload.Parameters, name string) describe.Check {
	t.Helper()
	r, err := dvdstore.Workload{}.Audit(t.Context(), i.Target(), p, 1, func(func([]byte) bool) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if c.Name == name && !c.Passed && len(c.Examples) > 0 {
			return c
		}
	}
	t.Fatalf("%q did not fail", name)
	return describe.Check{}
}

func number(t *testing.T, db *sql.DB, to endpoint.Endpoint, query string) (n int64) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), named(to, query)).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestVersion3OnPostgres(t *testing.T) { conformance3(t, postgres.Engine{}) }

func TestVersion3OnMariaDB(t *testing.T) {
	nightly.Only(t, "TestVersion3OnPostgres, TestMariaDB, TestAuditOfLoadedReviews on both and sqlshop's TestVersion3 on both")
	conformance3(t, mariadb.Engine{})
}

// conformance3 has users that nearly always take part in reviewing. Version 2 covers all
// that is not specific to version 3.
func conformance3(t *testing.T, e app.Engine) {
	workloadtest.Run(t, workloadtest.Suite{
		Workload: dvdstore.Workload{}, Environment: workloadtest.Here(e),
		Parameters: version3(func(p *dvdstore.Parameters) {
			p.ReviewsPerProduct, p.PctNewMember, p.PctNewReviews, p.PctNewHelpfulness = 2, 90, 90, 90
		}),
		Empty:     empty,
		Falsified: falsifiedReviews,
		Doubtful:  doubtfulReviews,
		Damages:   damagesToReviews(),
	})
}

// of gives the first receipt of a kind, and its place.
func of[R receipt.Receipt](receipts [][]byte) (r R, place int) {
	for i, text := range receipts {
		if parsed, err := receipt.Parse(text); err != nil {
			panic(err)
		} else if r, ok := parsed.(R); ok {
			return r, i
		}
	}
	panic("no receipt of the kind")
}

// replaced returns the receipts with the first one of a kind changed.
func replaced[R receipt.Receipt](receipts [][]byte, change func(*R)) [][]byte {
	r, place := of[R](receipts)
	change(&r)
	all := slices.Clone(receipts)
	all[place] = r.Append(nil)
	return all
}

// added gives receipts with a changed copy of the first of a kind.
func added[R receipt.Receipt](receipts [][]byte, change func(*R)) [][]byte {
	r, _ := of[R](receipts)
	change(&r)
	return append([][]byte{r.Append(nil)}, receipts...)
}

// without gives receipts without the first of a kind.
func without[R receipt.Receipt](receipts [][]byte) [][]byte {
	_, place := of[R](receipts)
	return slices.Delete(slices.Clone(receipts), place, place+1)
}

func falsifiedReviews(all [][]byte) map[string][][]byte {
	return map[string][][]byte{
		"a membership not acknowledged":            without[receipt.Member](all),
		"a membership that never was":              added(all, func(r *receipt.Member) { r.Customer += 1_000_000 }),
		"a membership acknowledged twice":          added(all, func(*receipt.Member) {}),
		"a membership on another level":            replaced(all, func(r *receipt.Member) { r.Level = r.Level%3 + 1 }),
		"a review not acknowledged":                without[receipt.Review](all),
		"a review that never was":                  added(all, func(r *receipt.Review) { r.ID += 1_000_000 }),
		"a review acknowledged twice":              added(all, func(*receipt.Review) {}),
		"a review with other stars":                replaced(all, func(r *receipt.Review) { r.Stars++ }),
		"a review with another text":               replaced(all, func(r *receipt.Review) { r.Content++ }),
		"a review of another film":                 replaced(all, func(r *receipt.Review) { r.Product++ }),
		"a doubtful review with another text":      replaced(all, func(r *receipt.Review) { r.Doubtful, r.ID = true, 0; r.Content++ }),
		"a doubtful membership on another level":   replaced(all, func(r *receipt.Member) { r.Doubtful, r.Level = true, r.Level%3+1 }),
		"a rating not acknowledged":                without[receipt.Helpfulness](all),
		"a rating that never was":                  added(all, func(r *receipt.Helpfulness) { r.ID += 1_000_000 }),
		"a rating acknowledged twice":              added(all, func(*receipt.Helpfulness) {}),
		"another rating":                           replaced(all, func(r *receipt.Helpfulness) { r.Helpfulness++ }),
		"a rating of another review":               replaced(all, func(r *receipt.Helpfulness) { r.Review++ }),
		"an order not acknowledged among the rest": without[receipt.Order](all),
	}
}

func doubtfulReviews(all [][]byte) map[string][][]byte {
	return map[string][][]byte{
		"a membership that is there":            replaced(all, func(r *receipt.Member) { r.Doubtful = true }),
		"a membership that never was":           added(all, func(r *receipt.Member) { r.Doubtful = true; r.Customer += 1_000_000 }),
		"a review whose number is known":        replaced(all, func(r *receipt.Review) { r.Doubtful = true }),
		"a review whose number is not known":    replaced(all, func(r *receipt.Review) { r.Doubtful, r.ID = true, 0 }),
		"a review that never was":               added(all, func(r *receipt.Review) { r.Doubtful = true; r.ID += 1_000_000 }),
		"a rating whose number is known":        replaced(all, func(r *receipt.Helpfulness) { r.Doubtful = true }),
		"a rating whose number is not known":    replaced(all, func(r *receipt.Helpfulness) { r.Doubtful, r.ID = true, 0 }),
		"a rating that never was, not numbered": added(all, func(r *receipt.Helpfulness) { r.Doubtful, r.ID = true, 0 }),
	}
}

// reviewing are the tables that damages to reviews touch, referring ones last.
var reviewing = []string{"membership", "reviews", "reviews_helpfulness"}

// damagesToReviews change what version 3 adds behind the application's back.
// {member}, {review} and {rating} are numbers of acknowledged ones, {loaded} is
// a loaded member.
func damagesToReviews() []workloadtest.Damage {
	const orphans = "new memberships, reviews and ratings without an existing customer, product or review"
	const loaded = "loaded memberships are all there and unchanged"
	return damaging(reviewing, []damage{
		{"a membership is gone", "every acknowledged membership is present", `delete from {membership} where customerid = {member}`},
		{"a membership has another level", "acknowledged memberships have the acknowledged contents",
			`update {membership} set membershiptype = membershiptype % 3 + 1 where customerid = {member}`},
		{"a loaded membership is gone", loaded, `delete from {membership} where customerid = {loaded}`},
		{"a loaded membership has another level", loaded,
			`update {membership} set membershiptype = membershiptype % 3 + 1 where customerid = {loaded}`},
		{"a loaded membership expires later", loaded,
			`update {membership} set expiredate = expiredate + interval '1' month where customerid = {loaded}`},
		{"a customer is a member unasked", "memberships that were neither acknowledged nor in doubt",
			`insert into {membership} select max(customerid), 1, current_date from {customers} c where not exists (select 1 from {membership} m where m.customerid = c.customerid)`},
		{"a review is gone", "every acknowledged review is present", `delete from {reviews} where review_id = {review}`},
		{"a review has other stars", "acknowledged reviews have the acknowledged contents",
			`update {reviews} set stars = stars % 5 + 1 where review_id = {review}`},
		{"a review's text is cut short", "acknowledged reviews have the acknowledged contents",
			`update {reviews} set review_text = substring(review_text from 1 for 50) where review_id = {review}`},
		{"a review is another customer's", "acknowledged reviews have the acknowledged contents",
			`update {reviews} set customerid = customerid % 2000 + 1 where review_id = {review}`},
		{"a review is there twice", "reviews that were neither acknowledged nor in doubt",
			`insert into {reviews} (prod_id, review_date, stars, customerid, review_summary, review_text)
				select prod_id, review_date, stars, customerid, review_summary, review_text from {reviews} where review_id = {review}`},
		{"a review is of no film", orphans, `update {reviews} set prod_id = 1000000 where review_id = {review}`},
		{"a rating is gone", "every acknowledged rating is present", `delete from {reviews_helpfulness} where review_helpfulness_id = {rating}`},
		{"a rating is another", "acknowledged ratings have the acknowledged contents",
			`update {reviews_helpfulness} set helpfulness = helpfulness % 10 + 1 where review_helpfulness_id = {rating}`},
		{"a rating is of nobody", orphans, `update {reviews_helpfulness} set customerid = 1000000 where review_helpfulness_id = {rating}`},
		{"a rating is invented", "ratings that were neither acknowledged nor in doubt",
			`insert into {reviews_helpfulness} (review_id, customerid, helpfulness) values (1, 1, 1)`},
	}, func(t *testing.T, db *sql.DB, to endpoint.Endpoint, statement string, receipts [][]byte) string {
		member, _ := of[receipt.Member](receipts)
		review, _ := of[receipt.Review](receipts)
		rating, _ := of[receipt.Helpfulness](receipts)
		return strings.NewReplacer("{loaded}", fmt.Sprint(loadedMember(t, db, to, receipts)), "{member}", fmt.Sprint(member.Customer), "{review}", fmt.Sprint(review.ID), "{rating}", fmt.Sprint(rating.ID)).Replace(statement)
	})
}

// loadedMember returns a member who was one before.
func loadedMember(t *testing.T, db *sql.DB, to endpoint.Endpoint, receipts [][]byte) int64 {
	t.Helper()
	users := []string{"0"}
	for _, text := range receipts {
		if r, err := receipt.Parse(text); err != nil {
			t.Fatal(err)
		} else if m, ok := r.(receipt.Member); ok {
			users = append(users, fmt.Sprint(m.Customer))
		}
	}
	return number(t, db, to, "select min(customerid) from {membership} where customerid not in ("+strings.Join(users, ", ")+")")
}
