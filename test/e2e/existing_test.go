package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"testing"

	"plimsoll/internal/result"
	"plimsoll/internal/wire"
	"plimsoll/internal/wire/wiretest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
)

const existingStudy = `study: theirs
workload: {name: dvdstore, parameters: {size: 1MB}}
engine:
  name: %s
  existing: {servers: ["%s/%s"], user: %s, password_env: THEIR_PASSWORD}
storage:
  san: {class: external, text: Somebody's server on loopback}
ladder: [1]
load: {users: 2}
phases: {warmup: 1s, measure: 2s, ramp_rate: 0}
objectives: [p95 <= 5s]
`

// Somebody's server is prepared, driven and audited, and given back as it was.
// One that is not empty is not touched.
func TestExistingServers(t *testing.T) {
	for name, kind := range map[string]string{"postgres": wire.Postgres, "mariadb": wire.MariaDB} {
		t.Run(name, func(t *testing.T) {
			e := wiretest.TCP(t, wiretest.Start(t, kind))
			if _, _, err := net.SplitHostPort(e.Address); err != nil {
				t.Fatal(err)
			}
			t.Setenv("THEIR_PASSWORD", e.Password)
			s := newSite(t)
			path := s.write("theirs.yaml", fmt.Sprintf(existingStudy, name, e.Address, e.Database, e.User))
			s.plimsoll(0, "run", path, "--name", "first", "--min-grade", "F")
			trial := s.trial("first", "san/1/1")
			if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Servers[0].Source != "existing" {
				t.Fatalf("%s, audit %+v, servers %+v", trial.Status, trial.Audit, trial.Servers)
			}
			contains(t, trial.Audit.Source, "somebody's")
			db := dvdstoretest.Open(t, e)
			if left := tables(t, db, e); len(left) > 0 {
				t.Fatalf("the run left %v", left)
			}
			execute(t, db, "create table somebodys (id int primary key)")
			s.plimsoll(4, "run", path, "--name", "second", "--min-grade", "F")
			refused := s.trial("second", "san/1/1")
			if refused.Status != result.Failed {
				t.Fatalf("a database that is not empty: %s", refused.Status)
			}
			contains(t, refused.Failure.Cause, "not empty", "somebodys")
			if left := tables(t, db, e); len(left) != 1 {
				t.Errorf("of somebody's table and nothing else, %v is there", left)
			}
		})
	}
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// tables lists what is in the endpoint's database.
func tables(t *testing.T, db *sql.DB, e workload.Endpoint) (names []string) {
	t.Helper()
	schema := "database()"
	if e.Kind == wire.Postgres {
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
