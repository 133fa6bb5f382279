// Command sessions measures what the lists of sessions that telemetry asks databases for cost the
// servers: CPU of a server whose sessions all wait, with ten lists a second and without. It prints a
// table and asserts nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/app"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/workload/dvdstore"
)

// every is the pause between lists in a run.
const every = 100 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pairs := flag.Int("pairs", 3, "how often lists and none take turns")
	length := flag.Duration("time", 5*time.Second, "length of each turn")
	flag.Parse()
	fmt.Print("| server | sessions at work | without lists | with 10 lists/s | the lists, of a core | of that a list |\n|---|---|---|---|---|---|\n")
	for _, engine := range stand.Engines() {
		for _, sessions := range []int{8, 100} {
			if err := measure(ctx, engine, sessions, *pairs, *length); err != nil {
				fmt.Fprintf(os.Stderr, "bench sessions: %s: %v\n", engine, err)
				os.Exit(1)
			}
		}
	}
}

// measure prints the line of one server with so many sessions at work.
func measure(ctx context.Context, engine string, sessions, pairs int, length time.Duration) (err error) {
	server, err := stand.Start(ctx, "", engine, sessions+1, dvdstore.Workload{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close(ctx)) }()
	lister, err := server.Sessions(ctx)
	if err != nil {
		return err
	}
	defer lister.Close()
	for range sessions {
		if err := occupy(ctx, server); err != nil {
			return err
		}
	}
	if err := waitFor(ctx, lister, sessions); err != nil {
		return err
	}
	var without, with, each []float64
	for range pairs {
		idle, _, err := turn(ctx, server, nil, length)
		if err != nil {
			return err
		}
		listed, lists, err := turn(ctx, server, lister, length)
		if err != nil {
			return err
		}
		without, with, each = append(without, idle), append(with, listed), append(each, (listed-idle)*length.Seconds()/float64(lists))
	}
	a, b := median(without), median(with)
	fmt.Printf("| %s %s | %d | %.2f %% | %.2f %% | %.2f %% | %.0f µs |\n", engine, server.Version, sessions, 100*a, 100*b, 100*(b-a), 1e6*median(each))
	return nil
}

// occupy lets one session sleep until the server ends.
func occupy(ctx context.Context, server *stand.Stand) error {
	e := server.Target.Endpoint("db")
	sleep := "select pg_sleep(3600)"
	if e.Kind == sqlwire.MariaDB {
		sleep = "select sleep(3600)"
	}
	c, err := dial.Open(ctx, e)
	if err != nil {
		return err
	}
	statement, err := c.Prepare(sleep)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	go func() {
		defer c.Close()
		_, _ = c.Do(new(sqlwire.Batch).Call(statement)) // it ends with the server
	}()
	return nil
}

// waitFor lists sessions until that many are at work.
func waitFor(ctx context.Context, lister app.Sessions, sessions int) error {
	for {
		all, err := lister.List(ctx)
		if err != nil || len(all) >= sessions {
			return err
		}
	}
}

// turn returns the cores that the server used in a time, and how often its sessions were listed
// meanwhile; without a lister never.
func turn(ctx context.Context, server *stand.Stand, lister app.Sessions, length time.Duration) (cores float64, lists int, err error) {
	before, err := server.CPU()
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	for end := begun.Add(length); time.Now().Before(end); lists++ {
		if lister != nil {
			if _, err := lister.List(ctx); err != nil {
				return 0, 0, err
			}
		}
		time.Sleep(every)
	}
	after, err := server.CPU()
	return (after - before).Seconds() / time.Since(begun).Seconds(), lists, err
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
