package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
)

const existingStudy = `study: theirs
workload: {name: dvdstore, parameters: {size: 1MB}}
engine:
  name: %s
  existing: {servers: ["%s/%s"], user: %s, password_env: THEIR_PASSWORD, tls: verify-full, ca_file: %s}
storage:
  san: {class: external, text: An existing server on loopback}
ladder: [1]
load: {users: 2}
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
objectives: [p95 <= 5s]
`

// An existing server is prepared, driven and audited, and given back as it was.
// One that is not empty is not touched.
func TestExistingServers(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"postgres": sqlwire.Postgres, "mariadb": sqlwire.MariaDB} {
		t.Run(name, func(t *testing.T) {
			e := theirs(t, kind)
			s := newSite(t)
			s.env = []string{"THEIR_PASSWORD=" + e.Password}
			ca := s.write("ca.pem", e.Certificate)
			path := s.write("theirs.yaml", fmt.Sprintf(existingStudy, name, e.Address, endpoint.Database(e), e.User, ca))
			refusedByPlan(t, s, e, path)
			s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
			trial := s.trial("first", "san/1/1")
			if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Servers[0].Source != "existing" {
				t.Fatalf("%s, audit %+v, servers %+v", trial.Status, trial.Audit, trial.Servers)
			}
			contains(t, trial.Audit.Source, "existing")
			risky := map[string]string{sqlwire.Postgres: "synchronous_commit = off", sqlwire.MariaDB: "innodb_flush_log_at_trx_commit = 0"}[kind]
			contains(t, strings.Join(trial.Servers[0].GivesUp, " "), risky)
			if len(trial.Servers[0].Durability) < 3 {
				t.Errorf("of durability only %v was read", trial.Servers[0].Durability)
			}
			report, _ := s.plimsoll(0, "report", "runs/first", "--format", "text")
			contains(t, strings.Join(strings.Fields(report), " "), "give up durability", risky)
			db := dvdstoretest.Open(t, e)
			if left := tables(t, db, e); len(left) > 0 {
				t.Fatalf("the run left %v", left)
			}
			if kind == sqlwire.Postgres { // apptest tries the rest with each engine
				cleanGivesBack(t, s, path, func() int { return len(tables(t, db, e)) })
			}
			execute(t, db, "create table visitors (id int primary key)")
			_, text := s.plimsoll(3, "run", path, "--name", "second", "--min-grade", "F")
			contains(t, strings.Join(strings.Fields(text), " "), "not empty", "visitors")
			if left := tables(t, db, e); len(left) != 1 {
				t.Errorf("of the existing table and nothing else, %v is there", left)
			}
		})
	}
}

// cleanGivesBack ends a run that has tables in a database, so that it cannot drop them:
// clean says where they are, and drops them when it can log in.
func cleanGivesBack(t *testing.T, s *site, path string, tables func() int) {
	t.Helper()
	b := s.start("run", path, "--name", "killed", "--json", "--set", "phases.measure=1m")
	b.until("the measured phase has begun", b.measuring)
	b.signal(syscall.SIGKILL)
	b.wait()
	if tables() < 3 {
		t.Errorf("%d tables are left", tables())
	}
	password := s.env
	s.env = nil
	_, errs := s.plimsoll(7, "clean", "--runs", "runs")
	contains(t, errs, "THEIR_PASSWORD is not set", "Shop DB")
	s.env = password
	out, _ := s.plimsoll(0, "clean", "--runs", "runs")
	contains(t, out, "Shop DB", "Nothing is left")
	if tables() > 0 {
		t.Errorf("%d tables are left", tables())
	}
	s.env = nil
	_, errs = s.plimsoll(3, "run", "--resume", "runs/killed")
	contains(t, errs, "THEIR_PASSWORD is not set")
	s.env = password
}

// theirs is an existing server with a database whose name has a space, for a user who must
// use TLS, and whose sessions begin as none of ours must.
func theirs(t *testing.T, kind string) endpoint.Endpoint {
	t.Helper()
	socket := sqlwiretest.Start(t, kind)
	db := dvdstoretest.Open(t, socket)
	e := sqlwiretest.TLS(t, socket)
	e.User, e.Lent = sqlwiretest.Secret, true
	statements := []string{"create database `Shop DB`", "create user " + reader + " identified by 'secret'", "grant select on `Shop DB`.* to " + reader,
		"set global sql_mode = 'ANSI_QUOTES'", "set global tx_isolation = 'SERIALIZABLE'", "set global autocommit = 0"}
	if kind == sqlwire.Postgres {
		statements = []string{`create database "Shop DB"`, "create role " + reader + " login", "alter role secret set search_path = nowhere", "alter role secret set default_transaction_read_only = on",
			"alter role secret set synchronous_commit = off"}
	}
	for _, statement := range statements {
		execute(t, db, statement)
	}
	e.Payload = endpoint.With(endpoint.SQL{Database: "Shop DB"})
	return e
}

// reader is a user who may not make tables.
const reader = "reader"

// refusedByPlan makes sure that plan and run see what keeps a run from an existing server
// before anything is made there.
func refusedByPlan(t *testing.T, s *site, e endpoint.Endpoint, path string) {
	t.Helper()
	s.plimsoll(0, "plan", path, "--ask")
	for _, c := range []struct{ set, says string }{
		{"engine.existing.user=" + reader, "right|may not make tables"},
		{"engine.existing.servers=[127.0.0.1:1/shop]", "connect to 127.0.0.1:1 as user|refused"},
		{"engine.existing.password_env=NO_SUCH_PASSWORD", "the variable NO_SUCH_PASSWORD is not set"},
		{"engine.existing.ca_file=/no/such/file", "the certificates of ca_file"},
		{"load.users=5000", "needs 5000 connections to " + e.Address},
	} {
		for _, command := range [][]string{{"plan", "--ask"}, {"run"}} {
			out, errs := s.plimsoll(3, append(command, path, "--set", c.set)...)
			text := strings.Join(strings.Fields(out+errs), " ")
			if !slices.ContainsFunc(strings.Split(c.says, "|"), func(one string) bool { return strings.Contains(text, one) }) {
				t.Errorf("%s --set %s does not say %q:\n%s%s", command, c.set, c.says, out, errs)
			}
		}
	}
	s.plimsoll(0, "plan", path, "--set", "engine.existing.servers=[127.0.0.1:1/shop]")
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// tables lists the tables in the endpoint's database.
func tables(t *testing.T, db *sql.DB, e endpoint.Endpoint) (names []string) {
	t.Helper()
	schema := "database()"
	if e.Kind == sqlwire.Postgres {
		schema = "'public'"
	}
	rows, err := db.QueryContext(context.Background(), "select table_name from information_schema.tables where table_schema = "+schema)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
