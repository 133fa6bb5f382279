package dvdstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/internal/workload/workloadtest"
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

// TestAuditOfLoadedReviews changes columns of the loaded rows, each of which is
// repaired before the next, and at last removes rows.
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
			p := version3(func(p *dvdstore.Parameters) { p.ReviewsPerProduct = 5 })
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
	for _, e := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} {
		t.Run(e.Name(), func(t *testing.T) {
			i := load(t, e, small())
			p := version3(func(*dvdstore.Parameters) {})
			_, err := dvdstore.Workload{}.Audit(t.Context(), i.Target(), p, 1, func(func([]byte) bool) error { return nil })
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "no table membership") {
				t.Errorf("a database of version 2 audited as version 3: %v", err)
			}
		})
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

func number(t *testing.T, db *sql.DB, to workload.Endpoint, query string) (n int64) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), named(to, query)).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
