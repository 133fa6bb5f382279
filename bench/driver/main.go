// Command driver measures what the driver itself costs: CPU seconds for 1,000
// DVD Store 2 orders and for each statement, in turns with sysbench
// oltp_read_write on the same server, and memory with 1,024 users. It prints
// tables and asserts nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/workload/dvdstore"
)

// settings are the flags.
type settings struct {
	engines        string
	dir            string
	pairs          int
	seconds        time.Duration
	users          int
	memoryUsers    int
	memoryDuration time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	stand.DriverMain(ctx, dvdstore.Workload{})
	var s settings
	flag.StringVar(&s.engines, "engines", strings.Join(stand.Engines(), ","), "engines to measure with")
	flag.StringVar(&s.dir, "dir", "", "directory for the servers' data (the system's temporary one)")
	flag.IntVar(&s.pairs, "pairs", 5, "how often driver and sysbench take turns")
	flag.DurationVar(&s.seconds, "time", 10*time.Second, "length of each turn")
	flag.IntVar(&s.users, "users", 8, "users, and threads of sysbench")
	flag.IntVar(&s.memoryUsers, "memory-users", 1024, "users of the memory measurement; 0 leaves it out")
	flag.DurationVar(&s.memoryDuration, "memory-time", time.Minute, "length of the memory measurement")
	flag.Parse()
	exit(run(ctx, s))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench driver:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, s settings) error {
	for _, engine := range strings.Split(s.engines, ",") {
		if err := runEngine(ctx, s, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

func runEngine(ctx context.Context, s settings, engine string) (err error) {
	server, err := stand.Start(ctx, s.dir, engine, max(s.users, s.memoryUsers), dvdstore.Workload{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close(ctx)) }()
	if err := server.Load(ctx, dvdstore.Workload{}.Defaults()); err != nil {
		return err
	}
	fmt.Printf("\n%s %s, DVD Store 2 of 10MB, no think time\n", engine, server.Version)
	if err := comparePairs(ctx, s, server); err != nil {
		return err
	}
	if s.memoryUsers == 0 {
		return nil
	}
	return measureMemory(ctx, s, server)
}
