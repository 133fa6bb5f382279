package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/test/nightly"
)

// A block that the storage loses while the server has it in memory is found,
// although nobody misses it during the load. What the audit was about stays.
func TestAuditFindsABlockLostBehindAWarmServer(t *testing.T) {
	for _, engine := range []string{"postgres", "mariadb"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "mariadb" {
				nightly.Only(t, "the same with postgres, and dvdstore's TestALostBlockShowsAfterARestart/mariadb")
			}
			s, run := newSite(t), "lost-"+engine
			path := s.write("lost.yaml", replace(study(engine), "ladder: [1, 2]", "ladder: [1]", "measure: 3s", "measure: 15s", "path: memory", "path: disk"))
			b := s.start("run", path, "--name", run, "--min-grade", "F")
			b.until("the users are at work", s.driving(run))
			lost := target(t, s, run, engine)
			warm(t, lost)
			dvdstoretest.LoseOrders(t, volumeOf(t, s, run), lost)
			warm(t, lost) // nobody misses it as long as the server runs
			if code := b.wait(); code != 4 {
				t.Fatalf("exit code %d\n%s", code, &b.out)
			}
			assertEvidence(t, s, run)
		})
	}
}

// assertEvidence checks the evidence that is kept of the instance, and its removal.
func assertEvidence(t *testing.T, s *site, run string) {
	t.Helper()
	trial := s.trial(run, "memory/1/1")
	if trial.Status != result.Failed || trial.Failure.Stage != "audit" || trial.Audit == nil || trial.Audit.Source == "" {
		t.Fatalf("%s: %+v, %+v", trial.Status, trial.Failure, trial.Audit)
	}
	t.Logf("cause: %s\naudit: %+v", trial.Failure.Cause, trial.Audit)
	if len(trial.Evidence) != 1 || trial.Evidence[0].Instance != 0 || trial.Evidence[0].Missing != "" {
		t.Fatalf("evidence: %+v", trial.Evidence)
	}
	kept := filepath.Join(s.run(run), trial.Evidence[0].Path)
	contains(t, trial.Failure.Cause, "instance 0", trial.Evidence[0].Path)
	for _, name := range []string{"volumes/db-0", "receipts", "accounts.json"} {
		info, err := os.Stat(filepath.Join(kept, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	out, _ := s.plimsoll(0, "clean", s.run(run))
	contains(t, out, "kept", "--evidence")
	out, _ = s.plimsoll(0, "clean", s.run(run), "--evidence")
	contains(t, out, "removed evidence")
	if _, err := os.Stat(kept); err == nil {
		t.Errorf("clean --evidence leaves %s", kept)
	}
}

// target is how users reach the only instance of the run. Its password is with
// the golden volume that it was cloned from.
func target(t *testing.T, s *site, run, engine string) endpoint.Endpoint {
	t.Helper()
	sockets, err := filepath.Glob(filepath.Join(os.TempDir(), "*"+s.journalOf(run).RunID+"*", "*", map[string]string{"mariadb": "mariadb.sock", "postgres": ".s.PGSQL.*[0-9]"}[engine]))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("sockets of the run: %v, %v", sockets, err)
	}
	made, _ := filepath.Glob(filepath.Join(cache, engine+"-*", "golden.json"))
	for _, path := range made {
		var golden struct{ Password string }
		if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &golden) != nil {
			continue
		}
		to := endpoint.Endpoint{Kind: "sql:" + engine, Network: "unix", Address: sockets[0], Payload: endpoint.With(endpoint.SQL{Database: "ds2"}), User: "web", Password: golden.Password}
		db := dvdstoretest.Open(t, to)
		err = db.PingContext(t.Context())
		db.Close()
		if err == nil {
			return to
		}
	}
	t.Fatalf("no golden volume of %v has the password: %v", made, err)
	return endpoint.Endpoint{}
}

func volumeOf(t *testing.T, s *site, run string) string {
	t.Helper()
	found, _ := filepath.Glob("/var/tmp/*" + s.journalOf(run).RunID + "*/s/*/*/volumes/t1-db-000")
	if len(found) != 1 {
		t.Fatalf("volumes of the instance: %v", found)
	}
	return found[0]
}

// warm reads every order, so that the server has all of them in memory.
func warm(t *testing.T, to endpoint.Endpoint) {
	t.Helper()
	db := dvdstoretest.Open(t, to)
	var orders int
	var total float64
	if err := db.QueryRowContext(t.Context(), "select count(totalamount), sum(totalamount) from "+table(to, "orders")).Scan(&orders, &total); err != nil {
		t.Fatal(err)
	}
	if orders < 12000 {
		t.Fatalf("%d orders", orders)
	}
}

func table(to endpoint.Endpoint, name string) string {
	if to.Kind == "sql:mariadb" {
		return strings.ToUpper(name)
	}
	return name
}
