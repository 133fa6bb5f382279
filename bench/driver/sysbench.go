package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
)

// sysbenchStatements is how many statements a transaction of oltp_read_write
// has: 14 reads, 4 writes, begin and commit.
const sysbenchStatements = 20

// sysbench is the yardstick, with tables of its own beside the DVD Store's.
type sysbench struct{ options []string }

func newSysbench(t workload.Endpoint, threads int) (*sysbench, error) {
	if _, err := exec.LookPath("sysbench"); err != nil {
		return nil, fmt.Errorf("the comparison needs sysbench (apt-get install sysbench): %w", err)
	}
	options := []string{"oltp_read_write", "--tables=1", "--table-size=10000", "--threads=" + strconv.Itoa(threads)}
	if t.Kind == wire.Postgres {
		host, port := postgresPlace(t)
		return &sysbench{append(options, "--db-driver=pgsql", "--pgsql-host="+host, "--pgsql-port="+port,
			"--pgsql-user="+t.User, "--pgsql-password="+t.Password, "--pgsql-db="+t.Database)}, nil
	}
	options = append(options, "--db-driver=mysql", "--mysql-user="+t.User, "--mysql-password="+t.Password, "--mysql-db="+t.Database)
	if t.Network == "unix" {
		return &sysbench{append(options, "--mysql-socket="+t.Address)}, nil
	}
	host, port, err := net.SplitHostPort(t.Address)
	return &sysbench{append(options, "--mysql-host="+host, "--mysql-port="+port)}, err
}

// postgresPlace splits a target as libpq wants it: a unix socket is named by
// its directory and a port.
func postgresPlace(t workload.Endpoint) (host, port string) {
	if t.Network == "unix" {
		return filepath.Dir(t.Address), strings.TrimPrefix(filepath.Ext(t.Address), ".")
	}
	host, port, _ = net.SplitHostPort(t.Address)
	return host, port
}

func (s *sysbench) prepare(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "sysbench", append(s.options, "prepare")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("sysbench prepare: %w: %s", err, out)
	}
	return nil
}

var transactionsLine = regexp.MustCompile(`transactions:\s+(\d+)`)

func (s *sysbench) run(ctx context.Context, length time.Duration) (spent, error) {
	c := exec.CommandContext(ctx, "sysbench", append(s.options, fmt.Sprintf("--time=%.0f", length.Seconds()), "run")...)
	out, err := c.CombinedOutput()
	if err != nil {
		return spent{}, fmt.Errorf("sysbench run: %w: %s", err, out)
	}
	found := transactionsLine.FindSubmatch(out)
	if found == nil {
		return spent{}, fmt.Errorf("sysbench reports no transactions: %s", out)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return spent{cpu: cpu.Seconds(), orders: n, statements: float64(n) * sysbenchStatements, seconds: length.Seconds()}, err
}
