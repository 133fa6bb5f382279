package tpcds

import (
	"context"
	"encoding/pem"
	"errors"
	"math"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// Tables lists the tables of TPC-DS.
var Tables = tables

// Run runs a statement and gives the first value of its answer.
func Run(t *testing.T, to workload.Target, p workload.Parameters, sql string) string {
	t.Helper()
	db, err := open(to, p.(*Parameters))
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	a, err := db.ask(t.Context(), sql, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.rows) == 0 || len(a.rows[0]) == 0 || a.rows[0][0] == nil {
		return ""
	}
	return *a.rows[0][0]
}

// Lent is the coordinator of a target as an existing one, which is reached at a server that
// encrypts, with tables at a place.
func Lent(t workload.Target, at *httptest.Server, place string) workload.Target {
	e := t.Endpoint(warehouse)
	e.Lent, e.Network, e.Address, e.TLS = true, "tcp", at.Listener.Addr().String(), endpoint.TLSVerifyFull
	e.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: at.Certificate().Raw}))
	e.Payload = endpoint.With(endpoint.SQL{Database: place})
	return workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{e}}
}

// Lengthen replaces the first query of a stream.
func Lengthen(s workload.Session, sql string) {
	of := s.(*stream)
	number := of.p.Queries[of.order[0]]
	n := of.notes[number]
	n.text = sql
	of.notes[number] = n
}

// SameAnswers asks a cluster and a server of DuckDB, which has its files but no tables yet,
// the same queries.
func SameAnswers(t *testing.T, cluster workload.Target, p workload.Parameters, duck workload.Target, ducks workload.Parameters) {
	t.Helper()
	one, err := openStream(t.Context(), cluster, p.(*Parameters), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	other, err := open(duck, ducks.(*Parameters))
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	for _, table := range tables {
		if _, err := other.ask(t.Context(), "create view "+table+" as from read_parquet('lake/"+table+"/*.parquet')", 0); err != nil {
			t.Fatal(err)
		}
	}
	for number, n := range one.notes {
		theirs, _, err := one.ask(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := other.ask(t.Context(), n.text, 0)
		if err != nil {
			t.Fatal(number, err)
		}
		if why := differ(theirs, ours); why != "" {
			t.Errorf("query %d: %s", number, why)
		}
	}
}

// differ says how two answers differ by more than engines round: averages and quotients of
// decimals have other types.
func differ(a, b answer) string {
	if len(a.rows) != len(b.rows) {
		return strconv.Itoa(len(a.rows)) + " rows, and " + strconv.Itoa(len(b.rows))
	}
	rest := slices.Clone(b.rows)
	for _, row := range a.rows {
		at := slices.IndexFunc(rest, func(other []*string) bool { return slices.EqualFunc(row, other, nearly) })
		if at < 0 {
			return "only one has the row " + written(row) + "; the other has " + written(rest[0])
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return ""
}

func written(row []*string) string {
	var all []string
	for _, v := range row {
		if v == nil {
			all = append(all, "null")
		} else {
			all = append(all, *v)
		}
	}
	return strings.Join(all, ", ")
}

func nearly(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	if strings.TrimRight(*a, " ") == strings.TrimRight(*b, " ") {
		return true
	}
	x, notX := strconv.ParseFloat(*a, 64)
	y, notY := strconv.ParseFloat(*b, 64)
	return notX == nil && notY == nil && math.Abs(x-y) <= max(0.01, 1e-6*math.Abs(x))
}

// tableless makes no tables.
type tableless struct {
	store
	asked []string
}

func (s *tableless) table(_ context.Context, _ *Parameters, name string) (madeTable, error) {
	s.asked = append(s.asked, name)
	if name == "store" {
		return madeTable{}, errors.New("the bucket is full")
	}
	return madeTable{rows: "7", bytes: 5}, nil
}
func (*tableless) analyze(context.Context, string) error { return nil }
func (*tableless) effort(context.Context, answer) (describe.Effort, bool) {
	return describe.Effort{}, false
}

type ends struct{ done, failed, receipts int }

func (c *ends) Observe(operation int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	switch {
	case operation != 0:
	case outcome == workload.Done:
		c.done++
	default:
		c.failed++
	}
}
func (*ends) Moved(int, int64)           {}
func (*ends) Spent(int, describe.Effort) {}
func (c *ends) Receipt([]byte)           { c.receipts++ }

// Streams make each table once between them; one that fails does not keep them from the
// next.
func TestMakersShareTables(t *testing.T) {
	var asked []string
	c := &ends{}
	for user := range 5 {
		db := &tableless{}
		m := &maker{p: defaults(), db: db, mine: share(user, 5)}
		for !errors.Is(m.Do(t.Context(), c), workload.ErrFinished) {
		}
		asked = append(asked, db.asked...)
	}
	slices.Sort(asked)
	if !slices.Equal(asked, tables) || c.done != 23 || c.failed != 1 || c.receipts != 23 {
		t.Errorf("%v: %+v", asked, c)
	}
}

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
	a := answer{types: []string{"DOUBLE", "VARCHAR"}, rows: [][]*string{{v("0.30000000000000004"), v("x")}, {v("1e-17"), nil}}}
	same := answer{types: a.types, rows: [][]*string{{v("-0.0"), nil}, {v("0.3"), v("x")}}}
	if digest(a) != digest(same) {
		t.Errorf("%s, %s", digest(a), digest(same))
	}
	for _, other := range [][][]*string{
		{{v("0.3"), v("x")}},
		{{v("0.3"), v("x")}, {v("0"), v("")}},
		{{v("0.3"), v("y")}, {v("0"), nil}},
		{{v("0.30001"), v("x")}, {v("0"), nil}},
	} {
		if digest(answer{types: a.types, rows: other}) == digest(a) {
			t.Errorf("%v has the same digest", other)
		}
	}
}
