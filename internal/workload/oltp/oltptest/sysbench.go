// Package oltptest runs the field's own sysbench against the databases that
// tests and benchmarks use.
package oltptest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe/endpoint"
)

// Sysbench returns a command of sysbench against an endpoint:
// Sysbench(ctx, e, "oltp_read_write", "--tables=2", "run").
func Sysbench(ctx context.Context, e endpoint.Endpoint, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "sysbench", append(args[:len(args):len(args)], options(e)...)...)
}

// RunSysbench runs a command and returns its output.
func RunSysbench(ctx context.Context, e endpoint.Endpoint, args ...string) ([]byte, error) {
	out, err := Sysbench(ctx, e, args...).CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("sysbench %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return out, nil
}

func options(e endpoint.Endpoint) []string {
	if e.Kind == sqlwire.Postgres {
		host, port := postgresPlace(e)
		return []string{"--db-driver=pgsql", "--pgsql-host=" + host, "--pgsql-port=" + port,
			"--pgsql-user=" + e.User, "--pgsql-password=" + e.Password, "--pgsql-db=" + endpoint.Database(e)}
	}
	all := []string{"--db-driver=mysql", "--mysql-user=" + e.User, "--mysql-password=" + e.Password, "--mysql-db=" + endpoint.Database(e)}
	if e.Network == "unix" {
		return append(all, "--mysql-socket="+e.Address)
	}
	host, port, _ := net.SplitHostPort(e.Address)
	return append(all, "--mysql-host="+host, "--mysql-port="+port)
}

// postgresPlace splits an endpoint as libpq wants it: a unix socket is named by
// its directory and a port.
func postgresPlace(e endpoint.Endpoint) (host, port string) {
	if e.Network == "unix" {
		return filepath.Dir(e.Address), strings.TrimPrefix(filepath.Ext(e.Address), ".")
	}
	host, port, _ = net.SplitHostPort(e.Address)
	return host, port
}
