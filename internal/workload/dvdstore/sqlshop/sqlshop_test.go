package sqlshop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/data"
	"plimsoll/internal/workload/dvdstore/receipt"
	"plimsoll/internal/workload/dvdstore/session"
	"plimsoll/internal/workload/dvdstore/sqlshop"
)

// store is a loaded database and a connection for looking in.
type store struct {
	version int
	target  endpoint.Endpoint
	size    data.Size
	conn    sqlwire.Conn
	seeds   *atomic.Uint64 // the last user's: every run of the tests has the same users
}

func onEngines(t *testing.T, version int, f func(t *testing.T, s store)) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, load(t, sqlwiretest.Start(t, engine), version, "1MB"))
		})
	}
}

// load loads a database of the named size.
func load(t testing.TB, target endpoint.Endpoint, version int, name string) store {
	t.Helper()
	w := dvdstore.Workload{}
	p := w.Defaults().(*dvdstore.Parameters)
	p.Version, p.Size = version, name
	if err := w.Prepare(t.Context(), workload.Target{Endpoints: []endpoint.Endpoint{target}}, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	size, err := data.ParseSize(p.Size)
	if err != nil {
		t.Fatal(err)
	}
	if size, err = size.WithReviews(int64(p.ReviewsPerProduct), p.PctMembers/100); err != nil {
		t.Fatal(err)
	}
	conn, err := dial.Open(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return store{version: version, target: target, size: size, conn: conn, seeds: new(atomic.Uint64)}
}

func (s store) config() session.Config {
	return session.Config{
		Version: s.version, Customers: s.size.Customers, Products: s.size.Products, Reviews: s.size.Reviews,
		NewCustomers: 0.2, Searches: 3, SearchBatchSize: 5, LineItems: 5, ReviewSearches: 3, SearchDepth: 500,
	}
}

// open opens a user's session, through a shop of its own.
func (s store) open(t *testing.T, c session.Config) *session.Session {
	t.Helper()
	return session.New(s.shop(t), c, s.seeds.Add(1))
}

func (s store) shop(t testing.TB) *sqlshop.Shop {
	t.Helper()
	shop, err := sqlshop.Open(t.Context(), s.target, s.version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shop.Close() })
	return shop
}

// sql writes tables, which stand in braces, as the engine has them.
func (s store) sql(text string) string {
	for {
		before, rest, found := strings.Cut(text, "{")
		if !found {
			return text
		}
		table, after, _ := strings.Cut(rest, "}")
		if s.target.Kind == sqlwire.MariaDB {
			table = strings.ToUpper(table)
		}
		text = before + table + after
	}
}

// ask returns the first row of a query, all integers.
func (s store) ask(t *testing.T, columns int, sql string, arguments ...int64) []int64 {
	t.Helper()
	statement, err := s.conn.Prepare(s.sql(sql))
	if err != nil {
		t.Fatal(err)
	}
	b := new(sqlwire.Batch).Call(statement)
	for _, a := range arguments {
		b.Int(a)
	}
	r, err := s.conn.Do(b)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows(0) == 0 {
		t.Fatalf("%s %v: no rows", sql, arguments)
	}
	row := make([]int64, columns)
	for i := range row {
		row[i] = r.Int(0, 0, i)
	}
	return row
}

func (s store) do(t *testing.T, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		sqlwiretest.MustDo(t, s.conn, s.sql(sql))
	}
}

// orders counts the rows that orders leave behind.
func (s store) orders(t *testing.T) [3]int64 {
	t.Helper()
	row := s.ask(t, 3, "select (select count(*) from {orders}), (select count(*) from {orderlines}), (select count(*) from {cust_hist})")
	return [3]int64(row)
}

// sold is the sum of sales and of stock.
func (s store) sold(t *testing.T) (sales, stock int64) {
	t.Helper()
	row := s.ask(t, 2, "select cast(sum(sales) as "+s.bigint()+"), cast(sum(quan_in_stock) as "+s.bigint()+") from {inventory}")
	return row[0], row[1]
}

func (s store) bigint() string {
	if s.target.Kind == sqlwire.MariaDB {
		return "signed"
	}
	return "bigint"
}

// notes is a recorder that keeps everything.
type notes struct {
	operations []session.Operation
	outcomes   map[session.Operation]map[workload.Outcome]int
	spent      map[session.Operation]time.Duration
	receipts   []receipt.Order
	others     []receipt.Receipt
}

func newNotes(version int) *notes {
	return &notes{
		operations: session.Operations(version, true),
		outcomes:   map[session.Operation]map[workload.Outcome]int{}, spent: map[session.Operation]time.Duration{},
	}
}

func (n *notes) Observe(index int, _ time.Time, d time.Duration, outcome workload.Outcome) {
	operation := n.operations[index]
	if n.outcomes[operation] == nil {
		n.outcomes[operation] = map[workload.Outcome]int{}
	}
	n.outcomes[operation][outcome]++
	n.spent[operation] += d
}

func (n *notes) Moved(int, int64)         {}
func (*notes) Spent(int, describe.Effort) {}
func (n *notes) Receipt(text []byte) {
	r, err := receipt.Parse(text)
	if err != nil {
		panic(err)
	}
	if o, ok := r.(receipt.Order); ok {
		n.receipts = append(n.receipts, o)
	} else {
		n.others = append(n.others, r)
	}
}

func (n *notes) count(operation session.Operation, outcome workload.Outcome) int {
	return n.outcomes[operation][outcome]
}

func TestSession(t *testing.T) {
	onEngines(t, 2, func(t *testing.T, s store) {
		t.Run("orders are in the database as acknowledged", s.testOrders)
		t.Run("new customers are complete", s.testNewCustomers)
		t.Run("searches find what there is", s.testSearches)
		t.Run("a shortage rolls back and restocks", s.testShortage)
		t.Run("a failed commit is doubtful", s.testDoubtful)
		t.Run("a lock that is not given leaves nothing behind", s.testLockTimeout)
		t.Run("a cancelled context interrupts", s.testCancel)
		t.Run("a database of another size is told", s.testWrongSize)
	})
}

func (s store) testOrders(t *testing.T) {
	const orders = 300
	user, n, before := s.open(t, s.config()), newNotes(2), s.orders(t)
	salesBefore, _ := s.sold(t)
	for range orders {
		if err := user.Do(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	done, rolled := n.count(session.Order, workload.Done), n.count(session.Order, workload.RolledBack)
	if done+rolled != orders || done != len(n.receipts) || rolled != n.count(session.Purchase, workload.RolledBack) || rolled != n.count(session.Restock, workload.Done) {
		t.Errorf("%d done, %d rolled back, %d acknowledged: %v", done, rolled, len(n.receipts), n.outcomes)
	}
	checkMix(t, n, orders)
	lines, quantity := int64(0), int64(0)
	for _, a := range n.receipts {
		s.checkOrder(t, a)
		lines, quantity = lines+int64(a.Lines), quantity+int64(a.Quantity)
	}
	after, want := s.orders(t), [3]int64{int64(done), lines, lines}
	if got := [3]int64{after[0] - before[0], after[1] - before[1], after[2] - before[2]}; got != want {
		t.Errorf("rows of orders, lines, history grew by %v, want %v", got, want)
	}
	if sales, _ := s.sold(t); sales-salesBefore != quantity {
		t.Errorf("sales grew by %d, want %d", sales-salesBefore, quantity)
	}
}

// checkMix compares the mix of operations with the configuration; its bounds
// are more than five standard deviations wide.
func checkMix(t *testing.T, n *notes, orders int) {
	t.Helper()
	registered, logins := n.count(session.NewCustomer, workload.Done), n.count(session.Login, workload.Done)
	if registered+logins != orders || registered < orders/20 || registered > orders*2/5 {
		t.Errorf("%d logins and %d new customers in %d orders, want a fifth new", logins, registered, orders)
	}
	if browsed := n.count(session.Browse, workload.Done); browsed < orders*5/2 || browsed > orders*7/2 {
		t.Errorf("%d searches in %d orders, want 3 each", browsed, orders)
	}
	parts := n.spent[session.Login] + n.spent[session.NewCustomer] + n.spent[session.Browse] + n.spent[session.Purchase]
	if whole := n.spent[session.Order]; parts > whole {
		t.Errorf("the parts took %v, longer than the orders, %v", parts, whole)
	}
}

func (s store) checkOrder(t *testing.T, a receipt.Order) {
	t.Helper()
	order := s.ask(t, 4, "select customerid, cast(100 * totalamount as "+s.bigint()+"), cast(100 * (netamount + tax) as "+s.bigint()+"), "+
		"(select count(*) from {cust_hist} h where h.orderid = o.orderid and h.customerid = o.customerid) from {orders} o where orderid = $1", a.ID)
	if want := []int64{a.Customer, a.Cents, a.Cents, int64(a.Lines)}; fmt.Sprint(order) != fmt.Sprint(want) {
		t.Errorf("order %d has customer, total, net + tax, history %v, want %v", a.ID, order, want)
	}
	lines := s.ask(t, 4, "select count(*), cast(sum(l.quantity) as "+s.bigint()+"), cast(100 * sum(l.quantity * p.price) as "+s.bigint()+"), "+
		"cast(max(l.orderlineid) as "+s.bigint()+") from {orderlines} l join {products} p on p.prod_id = l.prod_id where l.orderid = $1", a.ID)
	lines[2] += data.Tax(lines[2])
	if want := []int64{int64(a.Lines), int64(a.Quantity), a.Cents, int64(a.Lines)}; fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("order %d has lines, copies, total, last line %v, want %v", a.ID, lines, want)
	}
}

func (s store) testNewCustomers(t *testing.T) {
	c := s.config()
	c.NewCustomers = 1
	user := s.open(t, c)
	for range 10 {
		if err := user.Do(t.Context(), newNotes(2)); err != nil {
			t.Fatal(err)
		}
	}
	row := s.ask(t, 2, "select count(*), count(case when age between 18 and 90 and income >= 20000 and gender in ('F', 'M') and "+
		"region in (1, 2) and password = 'password' and username like 'newuser%' and length(creditcardexpiration) = 7 then 1 end) "+
		"from {customers} where customerid > $1", s.size.Customers)
	if row[0] < 10 || row[0] != row[1] {
		t.Errorf("%d of %d new customers are complete", row[1], row[0])
	}
}

func (s store) testSearches(t *testing.T) {
	shop := s.shop(t)
	const all = 1_000_000
	check := func(want int64, search session.Search) {
		t.Helper()
		if got, err := shop.Found(search); err != nil || int64(got) != want {
			t.Errorf("%+v: found %d, %v, want %d", search, got, err, want)
		}
	}
	for i := range int64(5) {
		_, family := data.Actor(i * 37)
		check(s.ask(t, 1, "select count(*) from {products} where actor like '% "+family+"'")[0],
			session.Search{By: session.ByActor, Word: family, Limit: all})
		word := data.TitleWord(i * 173)
		check(s.ask(t, 1, "select count(*) from {products} where title like '"+word+" %' or title like '% "+word+"'")[0],
			session.Search{By: session.ByTitle, Word: word, Limit: all})
		check(s.ask(t, 1, "select count(*) from {products} where special = 1 and category = $1", i+1)[0],
			session.Search{By: session.ByCategory, Category: i + 1, Limit: all})
	}
	_, family := data.Actor(0)
	check(1, session.Search{By: session.ByActor, Word: family, Limit: 1})
}

func (s store) testShortage(t *testing.T) {
	s.do(t, "update {inventory} set quan_in_stock = 0", "delete from {reorder}")
	user, n, before := s.open(t, s.config()), newNotes(2), s.orders(t)
	salesBefore, _ := s.sold(t)
	if err := user.Do(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if n.count(session.Order, workload.RolledBack) != 1 || n.count(session.Restock, workload.Done) != 1 || len(n.receipts) != 0 {
		t.Errorf("outcomes are %v, acknowledged %v; want a roll-back and a restock", n.outcomes, n.receipts)
	}
	if after := s.orders(t); after != before {
		t.Errorf("rows of orders, lines, history went from %v to %v", before, after)
	}
	sales, stock := s.sold(t)
	reordered := s.ask(t, 2, "select count(*), cast(sum(quan_reordered) as "+s.bigint()+") from {reorder} where quan_low = 0 and date_expected > date_low")
	if sales != salesBefore || reordered[0] == 0 || stock != reordered[1] || stock != reordered[0]*data.MaxStock {
		t.Errorf("sales went from %d to %d, stock is %d, %d products were reordered, %d copies", salesBefore, sales, stock, reordered[0], reordered[1])
	}
}

// faulty fails at one of its calls, before or after the server has performed
// it, as a connection does that breaks.
type faulty struct {
	sqlwire.Conn
	calls, failAt int
	performed     bool
	broken        bool
}

var errCut = errors.New("the connection was cut")

func (f *faulty) Do(b *sqlwire.Batch) (*sqlwire.Results, error) {
	f.calls++
	if f.calls != f.failAt {
		return f.Conn.Do(b)
	}
	if f.performed {
		if _, err := f.Conn.Do(b); err != nil {
			return nil, err
		}
	}
	f.broken = true
	f.Conn.Interrupt()
	return nil, errCut
}

func (f *faulty) Broken() bool { return f.broken || f.Conn.Broken() }

// The calls of an order of a new customer who searches once.
const (
	registerCall = iota + 1
	browseCall
	pricesCall
	writeCall
	commitCall
)

func (s store) testDoubtful(t *testing.T) {
	s.do(t, "update {inventory} set quan_in_stock = 1000")
	c := s.config()
	c.NewCustomers, c.Searches = 1, 1
	for _, test := range []struct {
		failAt    int
		performed bool
		doubtful  bool
		stored    int64
	}{{commitCall, true, true, 1}, {commitCall, false, true, 0}, {writeCall, true, false, 0}, {writeCall, false, false, 0}, {registerCall, true, false, 0}} {
		before := s.orders(t)
		n := s.cut(t, newNotes(2), c, test.failAt, test.performed)
		if doubtful := len(n.receipts) == 1 && n.receipts[0].Doubtful && n.receipts[0].ID > 0; doubtful != test.doubtful {
			t.Errorf("call %d cut: acknowledgements are %+v, want a doubtful one: %v", test.failAt, n.receipts, test.doubtful)
		}
		s.await(t, fmt.Sprintf("call %d cut", test.failAt), func() bool { return s.orders(t)[0]-before[0] == test.stored })
	}
}

// cut places an order whose connection is cut at a call, before or after the server
// performed it.
func (s store) cut(t *testing.T, n *notes, c session.Config, failAt int, performed bool) *notes {
	t.Helper()
	shop := s.shop(t)
	user := session.New(shop, c, s.seeds.Add(1))
	defer user.Close()
	shop.Wrap(func(conn sqlwire.Conn) sqlwire.Conn { return &faulty{Conn: conn, failAt: failAt, performed: performed} })
	if err := user.Do(t.Context(), n); !errors.Is(err, errCut) || !user.Broken() {
		t.Errorf("call %d cut: got %v, broken %v; want a cut connection", failAt, err, user.Broken())
	}
	if n.count(session.Order, workload.Failed) != 1 {
		t.Errorf("call %d cut: outcomes are %v, want one failed order", failAt, n.outcomes)
	}
	return n
}

// await waits until a server has noticed that a user has gone.
func (s store) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("%s: the database is not as expected", what)
}

func (s store) testLockTimeout(t *testing.T) {
	limit, unlimit, begin := "alter role plimsoll set lock_timeout = '200ms'", "alter role plimsoll reset lock_timeout", "begin"
	if s.target.Kind == sqlwire.MariaDB {
		limit, unlimit, begin = "set global innodb_lock_wait_timeout = 1", "set global innodb_lock_wait_timeout = 50", "start transaction"
	}
	s.do(t, limit)
	user, before := s.open(t, s.config()), s.orders(t)
	_, stockBefore := s.sold(t)
	s.do(t, unlimit, begin, "update {inventory} set quan_in_stock = quan_in_stock where prod_id > 0")
	n := newNotes(2)
	err := user.Do(t.Context(), n)
	s.do(t, "rollback")
	e, ok := errors.AsType[*sqlwire.Error](err)
	if !ok || e.ErrorClass() != errorclass.LockTimeout {
		t.Fatalf("got %v, want a lock timeout", err)
	}
	if after := s.orders(t); after != before || len(n.receipts) != 0 {
		t.Errorf("rows of orders, lines, history went from %v to %v, acknowledged %v", before, after, n.receipts)
	}
	if _, stock := s.sold(t); stock != stockBefore {
		t.Errorf("stock went from %d to %d", stockBefore, stock)
	}
	if user.Broken() {
		t.Fatal("the session is broken")
	}
	if err := user.Do(t.Context(), n); err != nil || len(n.receipts) != 1 {
		t.Errorf("the next order ended in %v, acknowledged %v", err, n.receipts)
	}
}

func (s store) testCancel(t *testing.T) {
	user := s.open(t, s.config())
	ctx, cancel := context.WithCancel(t.Context())
	if err := user.Do(ctx, newNotes(2)); err != nil {
		t.Fatal(err)
	}
	cancel()
	s.await(t, "cancelled", func() bool { return user.Do(ctx, newNotes(2)) != nil })
	if !user.Broken() {
		t.Error("an interrupted session must count as broken")
	}
}

func (s store) testWrongSize(t *testing.T) {
	c := s.config()
	c.Customers, c.NewCustomers = 1_000_000_000, 0
	if err := s.open(t, c).Do(t.Context(), newNotes(2)); err == nil || !strings.Contains(err.Error(), "not of the size") {
		t.Errorf("got %v, want a hint at the size", err)
	}
}

func TestOpenFailures(t *testing.T) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			_, err := sqlshop.Open(t.Context(), sqlwiretest.Start(t, engine), 2)
			if err == nil || !strings.Contains(err.Error(), "is the database loaded?") {
				t.Errorf("got %v, want a hint at an empty database", err)
			}
		})
	}
	if _, err := sqlshop.Open(t.Context(), endpoint.Endpoint{Kind: "oracle"}, 2); err == nil {
		t.Error("opened a shop on an engine that there is none of")
	}
}

// BenchmarkOrder shows what an order allocates, and how many statements and
// round trips it takes; run it with -benchmem.
func BenchmarkOrder(b *testing.B) {
	for _, engine := range sqlwiretest.Engines() {
		for _, version := range []int{2, 3} {
			b.Run(fmt.Sprintf("%s/version=%d", engine, version), func(b *testing.B) { benchmarkOrder(b, engine, version) })
		}
	}
}

func benchmarkOrder(b *testing.B, engine string, version int) {
	s := load(b, sqlwiretest.Start(b, engine), version, "10MB")
	shop, counts := s.shop(b), &counting{}
	shop.Wrap(func(c sqlwire.Conn) sqlwire.Conn { counts.Conn = c; return counts })
	c := s.config()
	c.NewMembers, c.NewReviews, c.NewHelpfulness = 0.01, 0.05, 0.1
	user := session.New(shop, c, 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := user.Do(b.Context(), ignore{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(counts.statements)/float64(b.N), "statements/op")
	b.ReportMetric(float64(counts.trips)/float64(b.N), "trips/op")
}

// counting counts what goes through a connection.
type counting struct {
	sqlwire.Conn
	statements, trips int
}

func (c *counting) Do(b *sqlwire.Batch) (*sqlwire.Results, error) {
	c.statements += b.Len()
	c.trips++
	return c.Conn.Do(b)
}

// ignore is a recorder that keeps nothing.
type ignore struct{}

func (ignore) Observe(int, time.Time, time.Duration, workload.Outcome) {}
func (ignore) Moved(int, int64)                                        {}
func (ignore) Spent(int, describe.Effort)                              {}
func (ignore) Receipt([]byte)                                          {}
