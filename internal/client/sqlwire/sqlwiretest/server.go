// Package sqlwiretest starts real PostgreSQL and MariaDB servers for tests, with
// an empty database each. They live in a temporary directory, keep nothing
// safe on disk and end with the test.
package sqlwiretest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/test/quick"
)

// startLimit is generous: the machine may be busy with other tests.
const startLimit = 2 * time.Minute

// Engines lists what Start can start.
func Engines() []string { return []string{sqlwire.Postgres, sqlwire.MariaDB} }

// Start starts a server of the engine, with more arguments than its own if they are
// given, and gives its unix socket as a target. It speaks TLS to who wants it; see TLS.
// A test on a machine without the programs is skipped.
func Start(tb testing.TB, engine string, more ...string) endpoint.Endpoint {
	tb.Helper()
	quick.Skip(tb, quick.Servers)
	dir := runDirectory(tb)
	secure(tb, dir)
	if engine == sqlwire.Postgres {
		return startPostgres(tb, dir, more)
	}
	return startMariaDB(tb, dir, more)
}

// TCP returns the same server through the loopback interface.
func TCP(tb testing.TB, t endpoint.Endpoint) endpoint.Endpoint {
	tb.Helper()
	port, err := os.ReadFile(filepath.Join(filepath.Dir(t.Address), "port"))
	if err != nil {
		tb.Fatal(err)
	}
	t.Network, t.Address = "tcp", net.JoinHostPort("127.0.0.1", string(port))
	return t
}

// runDirectory makes a directory with a short name, because a socket's path
// must not be longer than 107 bytes, that the server's user owns.
func runDirectory(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "plimsoll-wire-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	if c := credential(); c != nil {
		if err := os.Chown(dir, int(c.Uid), int(c.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// credential is another user's when the test runs as root, whom PostgreSQL
// refuses.
func credential() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	return &syscall.Credential{Uid: nobody, Gid: nobody}
}

func freePort(tb testing.TB, dir string) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(filepath.Join(dir, "port"), []byte(port), 0o644); err != nil {
		tb.Fatal(err)
	}
	return port
}

func startPostgres(tb testing.TB, dir string, more []string) endpoint.Endpoint {
	tb.Helper()
	data := filepath.Join(dir, "data")
	run(tb, filepath.Join(postgresPrograms(tb), "initdb"), "-D", data, "-U", "plimsoll", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	rules := filepath.Join(data, "pg_hba.conf")
	refuse := "hostnossl all " + Secret + "," + Shown + " all reject\nhostssl all " + Shown + " all trust clientcert=verify-ca\nlocal all all trust\nlocal replication all trust\nhost all all all trust\n"
	if err := os.WriteFile(rules, []byte(refuse), 0o600); err != nil {
		tb.Fatal(err)
	}
	t := servePostgres(tb, dir, more)
	c := open(tb, t)
	defer c.Close()
	MustDo(tb, c, "create role "+Secret+" login superuser", "create role "+Shown+" login superuser")
	return t
}

// Standby starts a standby of a PostgreSQL server: its data are copied, and it follows.
func Standby(tb testing.TB, primary endpoint.Endpoint) endpoint.Endpoint {
	tb.Helper()
	dir := runDirectory(tb)
	secure(tb, dir)
	port := strings.TrimPrefix(filepath.Ext(primary.Address), ".")
	run(tb, filepath.Join(postgresPrograms(tb), "pg_basebackup"), "-D", filepath.Join(dir, "data"), "-h", filepath.Dir(primary.Address), "-p", port,
		"-U", primary.User, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	return servePostgres(tb, dir, nil)
}

// servePostgres starts a server on the data in a directory.
func servePostgres(tb testing.TB, dir string, more []string) endpoint.Endpoint {
	tb.Helper()
	port := freePort(tb, dir)
	serve(tb, syscall.SIGINT, filepath.Join(postgresPrograms(tb), "postgres"), append([]string{"-D", filepath.Join(dir, "data"), "-k", dir, "-p", port,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200", "-c", "shared_buffers=64MB",
		"-c", "dynamic_shared_memory_type=mmap", // in its directory, which ends with the test however the server ends
		"-c", "ssl=on", "-c", "ssl_cert_file=" + filepath.Join(dir, certificateFile), "-c", "ssl_key_file=" + filepath.Join(dir, keyFile),
		"-c", "ssl_ca_file=" + filepath.Join(dir, authorityFile)}, more...)...)
	t := endpoint.Endpoint{
		Role: "db", Kind: sqlwire.Postgres, Network: "unix", Address: filepath.Join(dir, ".s.PGSQL."+port),
		Payload: endpoint.With(endpoint.SQL{Database: "postgres"}), User: "plimsoll", Password: "secret",
	}
	awaitReady(tb, t)
	return t
}

func postgresPrograms(tb testing.TB) string {
	tb.Helper()
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil { // the others may not be linked
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		tb.Skip("PostgreSQL is not installed (apt-get install postgresql)")
	}
	return slices.Max(found)
}

func startMariaDB(tb testing.TB, dir string, more []string) endpoint.Endpoint {
	tb.Helper()
	program, err := exec.LookPath("mariadbd")
	if err != nil {
		tb.Skip("MariaDB is not installed (apt-get install mariadb-server-core)")
	}
	data, port := filepath.Join(dir, "data"), freePort(tb, dir)
	run(tb, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	// The server performs the file, a statement a line, before it listens.
	grants := "create database plimsoll;\ncreate user plimsoll identified by 'secret';\n" +
		"create user plimsoll@localhost identified by 'secret';\n" +
		"grant all on *.* to plimsoll with grant option;\ngrant all on *.* to plimsoll@localhost with grant option;\n" +
		"create user " + Plain + " identified by 'secret';\ngrant all on plimsoll.* to " + Plain + ";\n" +
		"create user " + Plain + "@localhost identified by 'secret';\ngrant all on plimsoll.* to " + Plain + "@localhost;\n" +
		"create user " + Secret + " identified by 'secret' require ssl;\ngrant all on *.* to " + Secret + ";\n" +
		"create user " + Shown + " identified by 'secret' require x509;\ngrant all on *.* to " + Shown + ";\n"
	if err := os.WriteFile(filepath.Join(dir, "init.sql"), []byte(grants), 0o644); err != nil {
		tb.Fatal(err)
	}
	socket := filepath.Join(dir, "mariadb.sock")
	serve(tb, syscall.SIGTERM, program, append([]string{"--no-defaults", "--datadir=" + data, "--socket=" + socket, "--port=" + port,
		"--bind-address=127.0.0.1", "--init-file=" + filepath.Join(dir, "init.sql"), "--innodb-flush-log-at-trx-commit=0",
		"--innodb-ft-min-token-size=3", "--innodb-ft-enable-stopword=0", "--innodb-buffer-pool-size=64M", "--pid-file=" + filepath.Join(dir, "pid"),
		"--ssl-cert=" + filepath.Join(dir, certificateFile), "--ssl-key=" + filepath.Join(dir, keyFile),
		"--ssl-ca=" + filepath.Join(dir, authorityFile)}, more...)...)
	t := endpoint.Endpoint{
		Role: "db", Kind: sqlwire.MariaDB, Network: "unix", Address: socket,
		Payload: endpoint.With(endpoint.SQL{Database: "plimsoll"}), User: "plimsoll", Password: "secret",
	}
	awaitReady(tb, t)
	return t
}

// command makes a command that runs as the server's user and dies with the
// test.
func command(path string, args ...string) *exec.Cmd {
	c := exec.Command(path, args...)
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: credential()}
	return c
}

func run(tb testing.TB, path string, args ...string) {
	tb.Helper()
	if out, err := command(path, args...).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", path, err, out)
	}
}

// serve starts a server and stops it with the signal when the test ends.
func serve(tb testing.TB, stop syscall.Signal, path string, args ...string) {
	tb.Helper()
	var log bytes.Buffer
	c := command(path, args...)
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = c.Process.Signal(stop) // it may have ended already
		kill := time.AfterFunc(startLimit, func() { _ = c.Process.Kill() })
		defer kill.Stop()
		_ = c.Wait() // a server that was told to stop may exit with any code
		if tb.Failed() {
			tb.Logf("%s said:\n%s", filepath.Base(path), log.Bytes())
		}
	})
}

func awaitReady(tb testing.TB, t endpoint.Endpoint) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for {
		c, err := dial.Open(ctx, t)
		if err == nil {
			c.Close()
			return
		}
		select {
		case <-ctx.Done():
			tb.Fatalf("the %s server did not start: %v", t.Kind, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func open(tb testing.TB, t endpoint.Endpoint) sqlwire.Conn {
	tb.Helper()
	c, err := dial.Open(context.Background(), t)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// MustDo performs statements without parameters, one after the other.
func MustDo(tb testing.TB, c sqlwire.Conn, statements ...string) {
	tb.Helper()
	for _, sql := range statements {
		if err := do(c, sql); err != nil {
			tb.Fatal(err)
		}
	}
}

func do(c sqlwire.Conn, sql string) error {
	s, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	if _, err := c.Do(new(sqlwire.Batch).Call(s)); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
