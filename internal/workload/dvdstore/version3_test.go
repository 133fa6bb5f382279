package dvdstore_test

import (
	"database/sql"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
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

func number(t *testing.T, db *sql.DB, to workload.Endpoint, query string) (n int64) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), named(to, query)).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
