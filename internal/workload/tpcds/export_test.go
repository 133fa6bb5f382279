package tpcds

import (
	"testing"

	"plimsoll/internal/duckdb"
	"plimsoll/internal/workload"
)

// Forge halves all list prices.
func Forge(t *testing.T, admin workload.Target) {
	db, err := duckdb.Open(admin.Endpoint(warehouse))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(t.Context(), "create or replace view store_sales as select * replace (ss_list_price / 2 as ss_list_price) from read_parquet('lake/store_sales/*.parquet')"); err != nil {
		t.Fatal(err)
	}
}

func TestOrdered(t *testing.T) {
	for sql, want := range map[string]string{
		"select a from t order by a":                                 "select a from t order by a",
		"select a, b from t order by a limit 5":                      "select a, b from t order by a \n, 1, 2\nlimit 5",
		"select a from t limit 5\n":                                  "select a from t \nORDER BY 1\nlimit 5\n",
		"select a from (select a from t order by a limit 9) LIMIT 5": "select a from (select a from t order by a limit 9) \nORDER BY 1\nLIMIT 5",
		"select 'order by (' from t limit 1":                         "select 'order by (' from t \nORDER BY 1\nlimit 1",
	} {
		columns := 1
		if sql[8] == ',' {
			columns = 2
		}
		if got := ordered(sql, columns); got != want {
			t.Errorf("%q became %q, want %q", sql, got, want)
		}
	}
}

func TestDigest(t *testing.T) {
	v := func(s string) *string { return &s }
	a := duckdb.Answer{Types: []string{"DOUBLE", "VARCHAR"}, Rows: [][]*string{{v("0.30000000000000004"), v("x")}, {v("1e-17"), nil}}}
	same := duckdb.Answer{Types: a.Types, Rows: [][]*string{{v("-0.0"), nil}, {v("0.3"), v("x")}}}
	if digest(a) != digest(same) {
		t.Errorf("%s, %s", digest(a), digest(same))
	}
	for _, other := range [][][]*string{
		{{v("0.3"), v("x")}},
		{{v("0.3"), v("x")}, {v("0"), v("")}},
		{{v("0.3"), v("y")}, {v("0"), nil}},
		{{v("0.30001"), v("x")}, {v("0"), nil}},
	} {
		if digest(duckdb.Answer{Types: a.Types, Rows: other}) == digest(a) {
			t.Errorf("%v has the same digest", other)
		}
	}
}
