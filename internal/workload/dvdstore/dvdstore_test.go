package dvdstore_test

import (
	"database/sql"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/internal/workload/dvdstore/receipt"
)

func TestPostgres(t *testing.T) { conformance(t, postgres.Engine{}) }

func TestMariaDB(t *testing.T) { conformance(t, mariadb.Engine{}) }

// TestNamesOfTheOriginal asks in the words of the original's driver for MariaDB,
// whose names of databases and tables have a case, as one of its users.
func TestNamesOfTheOriginal(t *testing.T) {
	i := load(t, mariadb.Engine{}, small())
	db := dvdstoretest.Open(t, i.Target().Endpoint("db"))
	for _, table := range []string{"CUSTOMERS", "ORDERS", "ORDERLINES", "CUST_HIST", "PRODUCTS", "INVENTORY", "CATEGORIES", "REORDER"} {
		var rows int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM DS2."+table).Scan(&rows); err != nil || rows == 0 && table != "REORDER" {
			t.Errorf("%s: %d rows, %v", table, rows, err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "DROP TABLE DS2.REORDER"); err == nil {
		t.Error("a user of the shop may drop its tables")
	}
	anotherVersion(t, i)
}

func small() workload.Parameters {
	return parameters(func(p *dvdstore.Parameters) { p.Size = "1MB" })
}

func conformance(t *testing.T, e app.Engine) {
	workloadtest.Run(t, workloadtest.Suite{
		Workload: dvdstore.Workload{}, Environment: workloadtest.Here(e),
		Parameters: small(),
		Wrong: map[string]workload.Parameters{
			"version":             parameters(func(p *dvdstore.Parameters) { p.Version = 4 }),
			"tier":                parameters(func(p *dvdstore.Parameters) { p.Tier = "cloud" }),
			"size":                parameters(func(p *dvdstore.Parameters) { p.Size = "10 bytes" }),
			"pct_newcustomers":    parameters(func(p *dvdstore.Parameters) { p.PctNewCustomers = 101 }),
			"n_searches":          parameters(func(p *dvdstore.Parameters) { p.NSearches = 0 }),
			"search_batch_size":   parameters(func(p *dvdstore.Parameters) { p.SearchBatchSize = -1 }),
			"n_line_items":        parameters(func(p *dvdstore.Parameters) { p.NLineItems = 101 }),
			"pct_members":         parameters(func(p *dvdstore.Parameters) { p.PctMembers = -1 }),
			"reviews_per_product": parameters(func(p *dvdstore.Parameters) { p.Version, p.Size, p.ReviewsPerProduct = 3, "100GB", 200 }),
			"pct_newmember":       parameters(func(p *dvdstore.Parameters) { p.PctNewMember = math.NaN() }),
			"n_reviews":           parameters(func(p *dvdstore.Parameters) { p.NReviews = 0 }),
			"pct_newreviews":      parameters(func(p *dvdstore.Parameters) { p.PctNewReviews = 101 }),
			"pct_newhelpfulness":  parameters(func(p *dvdstore.Parameters) { p.PctNewHelpfulness = -0.1 }),
			"search_depth":        parameters(func(p *dvdstore.Parameters) { p.SearchDepth = 0 }),
		},
		Empty:     empty,
		Falsified: falsified,
		Doubtful:  doubtful,
		Damages:   damages(),
	})
}

// parsed reads the receipt of an order that the sessions wrote.
func parsed(text []byte) receipt.Order {
	r, err := receipt.Parse(text)
	if err != nil {
		panic(err)
	}
	return r.(receipt.Order)
}

// changed returns the receipts with a changed first one.
func changed(receipts [][]byte, change func(*receipt.Order)) [][]byte {
	first := parsed(receipts[0])
	change(&first)
	return append([][]byte{first.Append(nil)}, receipts[1:]...)
}

func falsified(receipts [][]byte) map[string][][]byte {
	invented := parsed(receipts[0])
	invented.ID += 1_000_000
	return map[string][][]byte{
		"an order not acknowledged":            receipts[1:],
		"an order acknowledged that never was": append([][]byte{invented.Append(nil)}, receipts...),
		"an order acknowledged twice":          append([][]byte{receipts[0]}, receipts...),
		"an order with another total":          changed(receipts, func(r *receipt.Order) { r.Cents++ }),
	}
}

func doubtful(receipts [][]byte) map[string][][]byte {
	absent := receipt.Order{ID: parsed(receipts[0]).ID + 1_000_000, Customer: 1, Lines: 1, Quantity: 1, Cents: 999, Doubtful: true}
	return map[string][][]byte{
		"its number is known":     changed(receipts, func(r *receipt.Order) { r.Doubtful = true }),
		"its number is not known": changed(receipts, func(r *receipt.Order) { r.Doubtful, r.ID = true, 0 }),
		"nor is its total":        changed(receipts, func(r *receipt.Order) { r.Doubtful, r.ID, r.Cents = true, 0, 0 }),
		"it never was":            append([][]byte{absent.Append(nil)}, receipts...),
	}
}

// empty drops all tables, referring ones first, once the server has noticed that
// whoever made them has gone.
func empty(t *testing.T, to workload.Target) {
	target := to.Endpoint("db")
	db := dvdstoretest.Open(t, target)
	others := "select count(*) from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()"
	if target.Kind == "sql:mariadb" {
		others = "select count(*) from information_schema.processlist where db = database() and id <> connection_id()"
	}
	for number(t, db, target, others) > 0 {
		time.Sleep(10 * time.Millisecond) // the test's own limit ends this
	}
	for _, table := range []string{"reviews_helpfulness", "reviews", "membership", "reorder", "inventory", "products", "cust_hist", "orderlines", "orders", "customers", "categories"} {
		execute(t, db, target, "drop table if exists {"+table+"}")
	}
}

func parameters(change func(*dvdstore.Parameters)) *dvdstore.Parameters {
	p := dvdstore.Workload{}.Defaults().(*dvdstore.Parameters)
	change(p)
	return p
}

// changing are the tables that damages touch; a copy of each is kept meanwhile.
// Order lines come after the orders they refer to.
var changing = []string{"orders", "orderlines", "cust_hist", "inventory", "reorder"}

// damages change the database behind the application's back. {order} is the
// number of an acknowledged order, {product} the product of its first line.
func damages() []workloadtest.Damage {
	return damaging(changing, []damage{
		{"an order is gone with its lines", "every acknowledged order is present",
			`delete from {orders} where orderid = {order}`},
		{"an order is gone with all that belongs to it", "every acknowledged order is present",
			`delete from {cust_hist} where orderid = {order}; delete from {orders} where orderid = {order}`},
		{"an order has another total", "acknowledged orders have the acknowledged customer and total",
			`update {orders} set totalamount = totalamount + 0.01 where orderid = {order}`},
		{"an order lost its customer", "new orders without an existing customer",
			`update {orders} set customerid = null where orderid = {order}`},
		{"a line is missing", "acknowledged orders have all their lines",
			`delete from {orderlines} where orderid = {order} and orderlineid = 1`},
		{"a line is there twice", "acknowledged orders have all their lines",
			`insert into {orderlines} select 100, orderid, prod_id, quantity, orderdate from {orderlines} where orderid = {order} and orderlineid = 1`},
		{"a line has another quantity", "sales of every product equal its order lines",
			`update {orderlines} set quantity = quantity + 1 where orderid = {order} and orderlineid = 1`},
		{"a line has another product", "partial orders",
			`update {orderlines} set prod_id = prod_id % 1000 + 1 where orderid = {order} and orderlineid = 1`},
		{"the history is missing", "acknowledged orders are in their customer's history",
			`delete from {cust_hist} where orderid = {order}`},
		{"the history is another customer's", "partial orders",
			`update {cust_hist} set customerid = customerid % 2000 + 1 where orderid = {order}`},
		{"an order has no lines and no history", "partial orders",
			`insert into {orders} (orderdate, customerid, netamount, tax, totalamount) values (current_date, 1, 1, 0.08, 1.08)`},
		{"stock is altered", stockCheck,
			`update {inventory} set quan_in_stock = quan_in_stock + 1 where prod_id = {product}`},
		{"a lost update of stock", stockCheck,
			`update {inventory} set quan_in_stock = quan_in_stock + 2, sales = sales - 2 where prod_id = {product}`},
		{"stock is negative", "products with negative stock",
			`update {inventory} set quan_in_stock = -1 where prod_id = {product}`},
		{"sales are altered", "sales of every product equal its order lines",
			`update {inventory} set sales = sales + 1 where prod_id = {product}`},
		{"stock of a product is gone", stockCheck,
			`delete from {inventory} where prod_id = {product}`},
		{"a reorder is invented", stockCheck,
			`insert into {reorder} (prod_id, date_low, quan_low, quan_reordered) values ({product}, current_date, 0, 500)`},
		{"a loaded order is gone", "loaded customers, orders, lines, history and products are all there",
			`delete from {orders} where orderid = 17`},
		{"loaded lines have other quantities", "loaded order lines have their quantities",
			`update {orderlines} set quantity = quantity + 1 where orderid = 17`},
	}, func(t *testing.T, db *sql.DB, target endpoint.Endpoint, statement string, receipts [][]byte) string {
		return fill(t, db, target, statement, parsed(receipts[len(receipts)/2]).ID)
	})
}

// damage is some statements that change what the audit protects.
type damage struct{ name, fails, statement string }

// damaging makes damages to some tables, referring ones last. fill fills in
// what a statement stands for, from the receipts.
func damaging(tables []string, list []damage, fill func(t *testing.T, db *sql.DB, target endpoint.Endpoint, statement string, receipts [][]byte) string) (all []workloadtest.Damage) {
	for _, d := range list {
		all = append(all, workloadtest.Damage{Name: d.name, Fails: d.fails,
			Do: func(t *testing.T, to workload.Target, receipts [][]byte) {
				target := to.Endpoint("db")
				db := dvdstoretest.Open(t, target)
				for _, table := range tables {
					execute(t, db, target, "create table kept_"+table+" as select * from {"+table+"}")
				}
				for statement := range strings.SplitSeq(d.statement, "; ") {
					execute(t, db, target, fill(t, db, target, statement, receipts))
				}
			},
			Undo: func(t *testing.T, to workload.Target, _ [][]byte) { undo(t, to, tables) },
		})
	}
	return all
}

const stockCheck = "stock of every product is the initial stock less what was ordered plus what was reordered"

func undo(t *testing.T, to workload.Target, tables []string) {
	target := to.Endpoint("db")
	db := dvdstoretest.Open(t, target)
	for _, table := range tables {
		execute(t, db, target, "delete from {"+table+"}", "insert into {"+table+"} select * from kept_"+table, "drop table kept_"+table)
	}
}

func fill(t *testing.T, db *sql.DB, target endpoint.Endpoint, statement string, order int64) string {
	t.Helper()
	var product int64
	query := named(target, fmt.Sprintf("select prod_id from {orderlines} where orderid = %d and orderlineid = 1", order))
	if err := db.QueryRowContext(t.Context(), query).Scan(&product); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return strings.NewReplacer("{order}", fmt.Sprint(order), "{product}", fmt.Sprint(product)).Replace(statement)
}

// named writes {orders} as the engine's table is called.
func named(target endpoint.Endpoint, query string) string {
	for _, table := range append([]string{"customers", "products", "categories", "membership", "reviews", "reviews_helpfulness"}, changing...) {
		name := table
		if target.Kind == "sql:mariadb" {
			name = strings.ToUpper(table)
		}
		query = strings.ReplaceAll(query, "{"+table+"}", name)
	}
	return query
}

func execute(t *testing.T, db *sql.DB, target endpoint.Endpoint, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), named(target, s)); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Parameters of version 3 are unused in version 2, and there are no others.
func TestUnusedParameters(t *testing.T) {
	var of3 []string
	for f := range reflect.TypeFor[dvdstore.Parameters]().Fields() {
		if strings.Contains(f.Tag.Get("jsonschema"), "description=Version 3:") {
			of3 = append(of3, f.Tag.Get("yaml"))
		}
	}
	for version, want := range map[int][]string{2: of3, 3: nil} {
		p := parameters(func(p *dvdstore.Parameters) { p.Version = version })
		if got := (dvdstore.Workload{}).Describe(p).Unused; !slices.Equal(got, want) {
			t.Errorf("version %d: %q; want %q", version, got, want)
		}
	}
}
