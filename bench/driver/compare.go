package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
)

// comparePairs has the driver and sysbench take turns on one server.
func comparePairs(ctx context.Context, s settings, server *stand.Stand) error {
	peer := sysbench{server, s.users}
	if err := peer.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("%5s  %12s %12s %12s %12s %8s %8s  %12s %12s %12s  %s\n", "pair", "orders/s", "statements", "CPU s/1000", "us/stmt", "p50 ms", "p95 ms",
		"sysbench tx/s", "CPU s/1000", "us/stmt", "ratio per statement")
	var thousands, ratios []float64
	for pair := range s.pairs {
		own, err := driveCounted(ctx, s, server)
		if err != nil {
			return err
		}
		other, err := peer.run(ctx, s.seconds)
		if err != nil {
			return err
		}
		ratio := own.perStatement() / other.perStatement()
		thousands, ratios = append(thousands, own.perThousand()), append(ratios, ratio)
		fmt.Printf("%5d  %12.0f %12.1f %12.3f %12.2f %8.2f %8.2f  %13.0f %12.3f %12.2f  %.2f\n", pair+1,
			float64(own.orders)/own.seconds, own.statements/float64(own.orders), own.perThousand(), own.perStatement(), own.p50, own.p95,
			float64(other.orders)/other.seconds, other.perThousand(), other.perStatement(), ratio)
	}
	fmt.Printf("median: %.3f CPU seconds (user + system) for 1,000 orders, those rolled back included; %.2f of sysbench's CPU for each statement\n", median(thousands), median(ratios))
	return nil
}

// warmup leaves connecting and preparing out of the driver's figures.
const warmup = 2 * time.Second

// driveCounted drives and finds out how many statements an order took.
func driveCounted(ctx context.Context, s settings, server *stand.Stand) (spent, error) {
	before, err := statementsOfAnOrder(ctx, server)
	if err != nil {
		return spent{}, err
	}
	own, err := drive(ctx, server, driver.Job{Users: s.users, Warmup: unit.Duration(warmup), Measure: unit.Duration(s.seconds)})
	if err != nil {
		return own, err
	}
	after, err := statementsOfAnOrder(ctx, server)
	own.statements = (before + after) / 2 * float64(own.orders)
	return own, err
}

// statementsOfAnOrder is how many statements an order takes on average: what
// the parameters' defaults make certain, and for each login (80 %) the titles
// of up to ten films bought before, which become more as a database is used.
// The few for restocking are left out.
func statementsOfAnOrder(ctx context.Context, server *stand.Stand) (float64, error) {
	const (
		arrive   = 0.8*2 + 0.2 // log in and look up what was bought, or register
		searches = 3
		lines    = 5
		purchase = lines + (1 + 1 + lines + 1 + 1 + 1) // prices; begin, order, stock, lines, history, commit
	)
	customers, history := "customers", "cust_hist"
	if server.Target.Endpoint("db").Kind == sqlwire.MariaDB {
		customers, history = "CUSTOMERS", "CUST_HIST"
	}
	hundredths, err := askNumber(ctx, server, "select cast(100 * avg(least(10, n)) as decimal(10, 0)) from (select count(h.prod_id) as n from "+
		customers+" c left join "+history+" h on h.customerid = c.customerid where c.username like 'user%' group by c.customerid) t")
	return arrive + searches + purchase + 0.8*hundredths/100, err
}

func askNumber(ctx context.Context, server *stand.Stand, sql string) (float64, error) {
	c, err := dial.Open(ctx, server.Target.Endpoint("db"))
	if err != nil {
		return 0, err
	}
	defer c.Close()
	statement, err := c.Prepare(sql)
	if err != nil {
		return 0, err
	}
	r, err := c.Do(new(sqlwire.Batch).Call(statement))
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(r.Text(0, 0, 0)), 64)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
