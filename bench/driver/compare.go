package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/load"
	"plimsoll/internal/study"
	"plimsoll/internal/wire"
)

// comparePairs has the driver and sysbench take turns on one server.
func comparePairs(ctx context.Context, s settings, server *stand.Stand) error {
	peer, err := newSysbench(server.Target, s.users)
	if err != nil {
		return err
	}
	if err := peer.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("%5s  %12s %12s %12s %12s %12s  %12s %12s %12s  %s\n", "pair", "orders/s", "statements", "CPU s/1000", "us/stmt", "us/order",
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
		fmt.Printf("%5d  %12.0f %12.1f %12.3f %12.2f %12.0f  %13.0f %12.3f %12.2f  %.2f\n", pair+1,
			float64(own.orders)/own.seconds, own.statements/float64(own.orders), own.perThousand(), own.perStatement(), 1000*own.perThousand(),
			float64(other.orders)/other.seconds, other.perThousand(), other.perStatement(), ratio)
	}
	fmt.Printf("median: %.3f CPU seconds for 1,000 orders, %.2f of sysbench's CPU for each statement\n", median(thousands), median(ratios))
	return nil
}

// warmup leaves connecting and preparing out of the driver's figures.
const warmup = 2 * time.Second

// driveCounted drives and finds out how many statements an order took.
func driveCounted(ctx context.Context, s settings, server *stand.Stand) (spent, error) {
	before, err := statementsPerformed(ctx, server)
	if err != nil {
		return spent{}, err
	}
	own, err := drive(ctx, server, load.Job{Users: s.users, Warmup: study.Duration(warmup), Measure: study.Duration(s.seconds)})
	if err != nil {
		return own, err
	}
	after, err := statementsPerformed(ctx, server)
	if err != nil {
		return own, err
	}
	if perOrder := float64(after.statements-before.statements) / float64(after.orders-before.orders); after.statements > 0 {
		own.statements = perOrder * float64(own.orders)
		return own, nil
	}
	own.statements = postgresStatements * float64(own.orders)
	return own, nil
}

// postgresStatements is the mean number of statements of an order on
// PostgreSQL, which does not count them: MariaDB's count less the one by which
// a transaction there ends in addition.
const postgresStatements = 24.3

// performed is what a server has done since it started.
type performed struct{ statements, orders int64 }

func statementsPerformed(ctx context.Context, server *stand.Stand) (performed, error) {
	c, err := wire.Open(ctx, server.Target)
	if err != nil {
		return performed{}, err
	}
	defer c.Close()
	if server.Target.Engine != wire.MariaDB {
		return performed{}, nil
	}
	s, err := c.Prepare("select cast(sum(if(variable_name = 'COM_STMT_EXECUTE', variable_value, 0)) as signed), " +
		"(select count(*) from ORDERS) from information_schema.global_status")
	if err != nil {
		return performed{}, err
	}
	r, err := c.Do(new(wire.Batch).Call(s))
	if err != nil {
		return performed{}, err
	}
	return performed{r.Int(0, 0, 0), r.Int(0, 0, 1)}, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
