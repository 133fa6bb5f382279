package dvdstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/data"
)

// auditConnections are three streams of orders and one for the rest.
const auditConnections = 4

// Audit asks the database whether every acknowledged order is there once and
// whole, whether there are orders that nobody placed, and whether sales and
// stock of every product agree with the order lines; in version 3 the same of
// memberships, reviews and ratings. It scans ORDERLINES and
// CUST_HIST a few times and keeps the receipts in memory, 40 bytes
// each.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, receipts workload.Receipts) (describe.Audit, error) {
	result := describe.Audit{Instance: t.Instance}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return result, err
	}
	book, err := readLedger(receipts)
	if err != nil {
		return result, fmt.Errorf("read the receipts: %w", err)
	}
	e, db, err := connect(ctx, t.Endpoint(db), own.Version, auditConnections)
	if err != nil {
		return result, err
	}
	defer db.Close()
	if err := checkVersion(ctx, e, db); err != nil {
		return result, err
	}
	a := newAuditor(e, db, data.New(own.size(), seed), own.size())
	result.Acknowledged, result.Doubtful = book.orders.count(), book.orders.doubtful
	if result.Present, err = a.orders(ctx, book); err != nil {
		return result, fmt.Errorf("audit the orders: %w", err)
	}
	if err := a.customers(ctx); err != nil {
		return result, fmt.Errorf("audit the customers: %w", err)
	}
	if own.Version >= 3 {
		if err := a.reviewing(ctx, book); err != nil {
			return result, err
		}
	}
	if err := a.rest(ctx); err != nil {
		return result, err
	}
	result.Checks = a.checks
	return result, nil
}

// auditor is one run of Audit.
type auditor struct {
	engine    engine
	db        *sql.DB
	names     *strings.Replacer
	generator data.Generator
	size      data.Size
	checks    []describe.Check
}

// newAuditor lets queries write {orders} for the engine's name of a table and
// {last} for the last loaded order.
func newAuditor(e engine, db *sql.DB, g data.Generator, size data.Size) *auditor {
	names := []string{"{last}", strconv.FormatInt(size.Orders(), 10)}
	for _, t := range e.tables() {
		names = append(names, "{"+strings.ToLower(t.name)+"}", t.name)
	}
	return &auditor{engine: e, db: db, names: strings.NewReplacer(names...), generator: g, size: size}
}

// rest audits what does not need the acknowledgements.
func (a *auditor) rest(ctx context.Context) error {
	totals := a.generator.Totals()
	if err := a.loaded(ctx, totals.Lines); err != nil {
		return fmt.Errorf("audit the loaded rows: %w", err)
	}
	if err := a.products(ctx, totals.Sales); err != nil {
		return fmt.Errorf("audit the products: %w", err)
	}
	if a.size.Reviews == 0 { // version 2
		return nil
	}
	return a.loadedReviews(ctx)
}

// customers looks for new orders of nobody.
func (a *auditor) customers(ctx context.Context) error {
	orphans := tallyNone("new orders without an existing customer")
	err := a.each(ctx, `select o.orderid from {orders} o left join {customers} c on c.customerid = o.customerid
		where o.orderid > {last} and c.customerid is null`, func(row []int64) {
		orphans.offend("order %d", row[0])
	})
	a.add(orphans)
	return err
}

// loaded counts the rows that Prepare loaded and no user changes.
func (a *auditor) loaded(ctx context.Context, lines int64) error {
	parts := []struct {
		what, query string
		want        int64
	}{
		{"customers", fmt.Sprintf(`select count(*) from {customers} where customerid <= %d`, a.size.Customers), a.size.Customers},
		{"orders", `select count(*) from {orders} where orderid <= {last}`, a.size.Orders()},
		{"order lines", `select count(*) from {orderlines} where orderid <= {last}`, lines},
		{"rows of purchase history", `select count(*) from {cust_hist} where orderid <= {last}`, lines},
		{"products", `select count(*) from {products}`, a.size.Products},
	}
	check := describe.Check{Name: "loaded customers, orders, lines, history and products are all there", Passed: true}
	for _, part := range parts {
		err := a.each(ctx, part.query, func(row []int64) {
			check.Expected += part.want
			check.Found += row[0]
			if row[0] != part.want {
				check.Passed = false
				check.Examples = append(check.Examples, fmt.Sprintf("%d %s, loaded were %d", row[0], part.what, part.want))
			}
		})
		if err != nil {
			return err
		}
	}
	a.checks = append(a.checks, check)
	return nil
}

func (a *auditor) add(all ...*tally) {
	for _, t := range all {
		a.checks = append(a.checks, t.check())
	}
}
