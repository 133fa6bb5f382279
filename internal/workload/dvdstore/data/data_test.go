package data

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestParseSize(t *testing.T) {
	tests := []struct {
		text string
		want Size
	}{
		{"10MB", Size{Name: "10MB", Customers: 20_000, OrdersPerMonth: 1_000, Products: 10_000}},
		{"1mb", Size{Name: "1MB", Customers: 2_000, OrdersPerMonth: 100, Products: 1_000}},
		{"500 MB", Size{Name: "500MB", Customers: 1_000_000, OrdersPerMonth: 50_000, Products: 500_000}},
		{"1GB", Size{Name: "1GB", Customers: 2_000_000, OrdersPerMonth: 100_000, Products: 100_000}},
		{"5GB", Size{Name: "5GB", Customers: 10_000_000, OrdersPerMonth: 500_000, Products: 50_000}},
		{"20gb", Size{Name: "20GB", Customers: 40_000_000, OrdersPerMonth: 2_000_000, Products: 200_000}},
		{"100GB", Size{Name: "100GB", Customers: 200_000_000, OrdersPerMonth: 10_000_000, Products: 1_000_000}},
	}
	for _, tt := range tests {
		got, err := ParseSize(tt.text)
		if err != nil {
			t.Errorf("ParseSize(%q): %v", tt.text, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("ParseSize(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
	for _, text := range []string{"", "10", "MB", "10M", "0MB", "-5MB", "1.5GB", "10TB", "10GBGB", "501GB", "9000000000000000000MB", "99999999999999999999MB", "MB10"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %+v, want an error", text, got)
		}
	}
}

func TestWordsAreUniqueAndSearchable(t *testing.T) {
	for name, list := range map[string][]string{"titles": titleWords[:], "first names": firstNames[:], "last names": lastNames[:]} {
		seen := map[string]bool{}
		for _, w := range list {
			if len(w) < 3 || len(w) > 12 || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
				t.Errorf("%s: %q is not a plain word that a full text index keeps", name, w)
			}
			if seen[w] {
				t.Errorf("%s: %q twice", name, w)
			}
			seen[w] = true
		}
	}
}

func TestActorsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for i := range int64(Actors) {
		first, last := Actor(i)
		seen[first+" "+last] = true
	}
	if len(seen) != Actors {
		t.Errorf("%d distinct actors, want %d", len(seen), Actors)
	}
}

func text(t *testing.T, r io.Reader) string {
	t.Helper()
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func parse(t *testing.T, name string) Size {
	t.Helper()
	s, err := ParseSize(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// withReviews returns a size with the tables of version 3 as DVD Store has them.
func withReviews(t testing.TB, name string) Size {
	t.Helper()
	s, err := ParseSize(name)
	if err == nil {
		s, err = s.WithReviews(20, 0.1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRowsDoNotDependOnRanges(t *testing.T) {
	g := New(withReviews(t, "1MB"), 42)
	for _, table := range Tables() {
		keys := g.Keys(table)
		whole := text(t, g.Rows(table, 1, keys))
		parts := text(t, g.Rows(table, 1, keys/3)) + text(t, iotest.OneByteReader(g.Rows(table, keys/3+1, keys)))
		if whole != parts {
			t.Errorf("table %d differs when made in two parts", table)
		}
		if whole == text(t, New(g.size, 43).Rows(table, 1, keys)) != (table == CategoryTable) {
			t.Errorf("table %d does not depend on the seed as it should", table)
		}
		if rows := g.Rows(table, 1, keys); rows.Left() != keys {
			t.Errorf("table %d: %d keys left at the start, want %d", table, rows.Left(), keys)
		}
	}
}

func TestKeysFitTheBuffer(t *testing.T) {
	g := New(withReviews(t, "500GB"), 1)
	for _, table := range Tables() {
		if table == InventoryTable { // adds up all orders first
			continue
		}
		rows := g.Rows(table, max(1, g.Keys(table)-2000), g.Keys(table))
		before := cap(rows.buffer)
		if err := iotest.TestReader(rows, []byte(text(t, g.Rows(table, rows.next, rows.last)))); err != nil {
			t.Error(err)
		}
		if cap(rows.buffer) != before {
			t.Errorf("table %d: the buffer had to grow", table)
		}
	}
}

func TestRowsCostNoMemory(t *testing.T) {
	g := New(withReviews(t, "10MB"), 1)
	p := make([]byte, 16<<10)
	for _, table := range []Table{CustomerTable, OrderTable, OrderLineTable, HistoryTable, ProductTable, MemberTable, ReviewTable, HelpfulnessTable} {
		rows := g.Rows(table, 1, 1<<40)
		if n := testing.AllocsPerRun(20, func() { _, _ = rows.Read(p) }); n != 0 {
			t.Errorf("table %d: %v allocations for 16 KiB", table, n)
		}
	}
}

// TestFirstRows pins the data down: golden volumes in a cache are only as good
// as the promise that a seed always gives the same rows.
func TestFirstRows(t *testing.T) {
	g := New(withReviews(t, "10MB"), 1)
	var got bytes.Buffer
	for _, table := range Tables() {
		key := min(10_000, g.Keys(table))
		_, _ = got.ReadFrom(g.Rows(table, key, key))
	}
	const want = "16\tTravel\n" +
		"10000\tJENNY\tMANNING\t209 PAVILION Street\t\tSATURN\tMS\t79239\tUS\t1\tJENNY.MANNING@example.com\t7663545182\t3\t9759960002892721\t2026/09\tuser10000\tpassword\t31\t20000\tM\n" +
		"10000\t2025-10-08\t1612\t382.09\t31.52\t413.61\n" +
		"1\t10000\t5014\t3\t2025-10-08\n" +
		"2\t10000\t4258\t1\t2025-10-08\n" +
		"3\t10000\t5109\t2\t2025-10-08\n" +
		"4\t10000\t9015\t2\t2025-10-08\n" +
		"5\t10000\t6328\t1\t2025-10-08\n" +
		"6\t10000\t1947\t3\t2025-10-08\n" +
		"7\t10000\t4303\t1\t2025-10-08\n" +
		"8\t10000\t127\t3\t2025-10-08\n" +
		"9\t10000\t7718\t1\t2025-10-08\n" +
		"1612\t10000\t5014\n" +
		"1612\t10000\t4258\n" +
		"1612\t10000\t5109\n" +
		"1612\t10000\t9015\n" +
		"1612\t10000\t6328\n" +
		"1612\t10000\t1947\n" +
		"1612\t10000\t4303\n" +
		"1612\t10000\t127\n" +
		"1612\t10000\t7718\n" +
		"10000\t10\tNOTION WORLD\tBERNARD DIXON\t11.99\t0\t9402\n" +
		"10000\t2480\t8\n" +
		"10000\t10\tNOTION WORLD\tBERNARD DIXON\t11.99\t0\t9402\t0\n" +
		"19995\t2\t2030-05-02\n" +
		"10000\t1727\t2025-07-16\t4\t1175\tA solid adventure\tThe second disc is the best I've seen but only once. " +
		"The translation made my children cry after the first hour. The direction surprised all of us even the second time. " +
		"The opening scene made me laugh out loud most of the time. The leading actor made me laugh out loud after the first hour. " +
		"The music made me laugh out loud though the price is fair. The sound left me cold because nothing is explained.\n" +
		"204975\t10000\t11090\t5\n" +
		"204976\t10000\t14750\t10\n" +
		"204977\t10000\t4022\t4\n" +
		"204978\t10000\t18036\t1\n" +
		"204979\t10000\t8812\t4\n" +
		"204980\t10000\t18797\t7\n" +
		"204981\t10000\t3915\t2\n" +
		"204982\t10000\t9693\t9\n" +
		"204983\t10000\t9438\t9\n" +
		"204984\t10000\t2219\t7\n" +
		"204985\t10000\t18002\t4\n" +
		"204986\t10000\t7859\t4\n" +
		"204987\t10000\t4182\t10\n" +
		"204988\t10000\t9302\t9\n" +
		"204989\t10000\t5041\t8\n" +
		"204990\t10000\t19005\t1\n" +
		"204991\t10000\t12700\t10\n" +
		"204992\t10000\t2229\t7\n" +
		"204993\t10000\t9023\t6\n" +
		"204994\t10000\t19918\t3\n" +
		"204995\t10000\t18502\t6\n" +
		"204996\t10000\t6435\t9\n" +
		"204997\t10000\t4064\t1\n" +
		"204998\t10000\t1690\t7\n" +
		"204999\t10000\t10994\t8\n" +
		"205000\t10000\t7895\t4\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("rows differ (-want +got); if that is intended, raise dvdstore's contentVersion:\n%s", diff)
	}
}

func TestOrdersAgreeAcrossTables(t *testing.T) {
	g := New(parse(t, "1MB"), 7)
	totals := g.Totals()
	lines := strings.Count(text(t, g.Rows(OrderLineTable, 1, g.Keys(OrderLineTable))), "\n")
	history := strings.Count(text(t, g.Rows(HistoryTable, 1, g.Keys(HistoryTable))), "\n")
	orders := strings.Count(text(t, g.Rows(OrderTable, 1, g.Keys(OrderTable))), "\n")
	if int64(lines) != totals.Lines || lines != history || int64(orders) != g.size.Orders() {
		t.Errorf("%d order lines, %d in the history, %d by the totals; %d orders", lines, history, totals.Lines, orders)
	}
	var sold, want int64
	for _, n := range totals.Sales {
		sold += int64(n)
	}
	var o Order
	for id := int64(1); id <= g.size.Orders(); id++ {
		g.Order(id, &o)
		for _, l := range o.Line[:o.Lines] {
			want += l.Quantity
		}
	}
	if sold != want {
		t.Errorf("sales add up to %d, quantities to %d", sold, want)
	}
}

// near checks a mean or share within five standard errors of its expectation.
func near(t *testing.T, what string, sum float64, n int, want, deviation float64) {
	t.Helper()
	got, allowed := sum/float64(n), 5*deviation/math.Sqrt(float64(n))
	if math.Abs(got-want) > allowed {
		t.Errorf("%s: mean %.4f, want %.4f ± %.4f", what, got, want, allowed)
	}
}

func TestDistributions(t *testing.T) {
	g := New(parse(t, "10MB"), 3)
	const n = 12_000
	var lines, quantity, net, age, income, special, hotShare float64
	var o Order
	r := NewRand(9)
	for id := int64(1); id <= n; id++ {
		g.Order(id, &o)
		c, p := g.Customer(id), g.Product((id-1)%g.size.Products+1)
		lines += float64(o.Lines)
		quantity += float64(o.Line[0].Quantity)
		net += float64(o.NetCents)
		age += float64(c.Age)
		income += float64(c.Income)
		if p.Special {
			special++
		}
		if american := c.Region == UnitedStates; american != (id <= g.size.Customers/2) || american != (c.Zip != 0) || american != (c.State != "") {
			t.Fatalf("customer %d is in the wrong place: %+v", id, c)
		}
		if Hot(OrderedProduct(&r, g.size.Products)) {
			hotShare++
		}
	}
	near(t, "lines of an order", lines, n, 5, 2.6)
	near(t, "quantity", quantity, n, 2, 0.9)
	near(t, "net amount", net, n, 200_00, 116_00)
	near(t, "age", age, n, 54, 21.1)
	near(t, "income", income, n, 60_000, 28_300)
	near(t, "special", special, n, 0.01, 0.1*math.Sqrt2)
	near(t, "share of the hot product", hotShare, n, 10./10_009, math.Sqrt(0.001))
}

func TestStockAndRestock(t *testing.T) {
	g := New(parse(t, "100MB"), 3)
	var sum float64
	for id := int64(1); id <= g.size.Products; id++ {
		n := g.Stock(id)
		if limit := RestockQuantity(id); n < 0 || n > limit || (id%10_000 == 0) != (limit == 5000) {
			t.Fatalf("product %d starts with %d copies and is restocked by %d", id, n, limit)
		}
		if !Hot(id) {
			sum += float64(n)
		}
	}
	near(t, "stock", sum, int(g.size.Products)-10, 250, 145)
}

func TestTaxRoundsHalfUp(t *testing.T) {
	for cents, want := range map[int64]int64{0: 0, 1: 0, 6: 0, 7: 1, 100_00: 8_25, 200: 17, 400_00: 33_00} {
		if got := Tax(cents); got != want {
			t.Errorf("Tax(%d) = %d, want %d", cents, got, want)
		}
	}
}

func TestOrderedProductStaysInRange(t *testing.T) {
	r := NewRand(1)
	for _, products := range []int64{1, 1000, 9_999, 10_000, 50_000} {
		for range 10_000 {
			if p := OrderedProduct(&r, products); p < 1 || p > products {
				t.Fatalf("product %d of %d", p, products)
			}
		}
	}
}

func BenchmarkRows(b *testing.B) {
	g := New(withReviews(b, "100GB"), 1)
	for name, table := range map[string]Table{
		"customers": CustomerTable, "orders": OrderTable, "orderlines": OrderLineTable, "cust_hist": HistoryTable,
		"products": ProductTable, "membership": MemberTable, "reviews": ReviewTable, "reviews_helpfulness": HelpfulnessTable,
	} {
		b.Run(name, func(b *testing.B) { benchmarkRows(b, g, table) })
	}
}

func benchmarkRows(b *testing.B, g Generator, table Table) {
	p := make([]byte, 64<<10)
	var rows, read int64
	r := g.Rows(table, 1, 1<<40)
	for b.Loop() {
		n, _ := r.Read(p)
		read += int64(n)
		rows += int64(bytes.Count(p[:n], []byte{'\n'}))
	}
	b.SetBytes(read / int64(b.N))
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkTotals(b *testing.B) {
	size, err := ParseSize("100MB")
	if err != nil {
		b.Fatal(err)
	}
	lines := int64(0)
	for b.Loop() {
		lines += New(size, 1).Totals().Lines
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}
