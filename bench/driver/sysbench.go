package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/workload/oltp/oltptest"
)

// sysbenchStatements is how many statements a transaction of oltp_read_write
// has: 14 reads, 4 writes, begin and commit.
const sysbenchStatements = 20

// sysbench is the yardstick. Its tables are separate from the DVD Store's.
type sysbench struct {
	server  *stand.Stand
	threads int
}

func (s sysbench) prepare(ctx context.Context) error {
	_, err := oltptest.RunSysbench(ctx, s.server.Admin.Endpoint("db"), "oltp_read_write", "--tables=1", "--table-size=10000", "prepare")
	return err
}

var transactionsLine = regexp.MustCompile(`transactions:\s+(\d+)`)

func (s sysbench) run(ctx context.Context, length time.Duration) (spent, error) {
	c := oltptest.Sysbench(ctx, s.server.Target.Endpoint("db"), "oltp_read_write", "--tables=1", "--table-size=10000",
		fmt.Sprintf("--threads=%d", s.threads), fmt.Sprintf("--time=%.0f", length.Seconds()), "run")
	out, err := c.CombinedOutput()
	if err != nil {
		return spent{}, fmt.Errorf("sysbench run (apt-get install sysbench): %w: %s", err, out)
	}
	found := transactionsLine.FindSubmatch(out)
	if found == nil {
		return spent{}, fmt.Errorf("sysbench reports no transactions: %s", out)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return spent{cpu: cpu.Seconds(), orders: n, statements: float64(n) * sysbenchStatements, seconds: length.Seconds()}, err
}
