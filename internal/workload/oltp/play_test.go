package oltp_test

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp"
	"plimsoll/internal/workload/oltp/oltptest"
)

// recorder keeps receipts and counts what sessions report.
type recorder struct {
	mu       sync.Mutex
	receipts [][]byte
	counts   map[int]int
	rolled   int
}

func (k *recorder) Observe(operation int, _ time.Time, _ time.Duration, o workload.Outcome) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts[operation]++
	if o == workload.RolledBack && operation == 0 {
		k.rolled++
	}
}

func (k *recorder) Moved(int, int64)         {}
func (*recorder) Spent(int, describe.Effort) {}

func (k *recorder) Receipt(b []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.receipts = append(k.receipts, append([]byte{}, b...))
}

// play lets users perform transactions.
func play(t *testing.T, target workload.Target, p *oltp.Parameters, users, each int) *recorder {
	t.Helper()
	k := &recorder{counts: map[int]int{}}
	var all sync.WaitGroup
	for user := range users {
		all.Go(func() {
			s, err := oltp.Workload{}.Open(t.Context(), target, p, user, uint64(user))
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for range each {
				if err := s.Do(t.Context(), k); err != nil {
					t.Errorf("user %d: %v", user, err)
				}
			}
		})
	}
	all.Wait()
	return k
}

// byName returns the counts by operation.
func (k *recorder) byName(p *oltp.Parameters) map[string]int {
	named := map[string]int{}
	for i, name := range (oltp.Workload{}).Describe(p).Operations {
		named[name] = k.counts[i]
	}
	return named
}

// TestModes plays every mode among users who get in each other's way all the
// time, with transactions and without, and audits.
func TestModes(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.Name(), func(t *testing.T) {
			i := start(t, e, parameters(func(*oltp.Parameters) {}))
			quickDeadlocks(t, i.Admin())
			for _, mode := range []string{"read_write", "read_only", "write_only", "point_select", "update_index", "update_non_index", "insert", "delete"} {
				for _, skip := range []bool{false, true} {
					name := mode
					if skip {
						name += " without transactions"
					}
					t.Run(name, func(t *testing.T) {
						p := parameters(func(p *oltp.Parameters) {
							p.Mode, p.SkipTrx, p.Tables, p.TableSize, p.IndexUpdates = mode, skip, 2, 100, 2
						})
						prepare(t, i, p)
						k := play(t, i.Target(), p, 6, 50)
						for _, wrong := range audit(t, i.Target(), p, k.receipts) {
							t.Error(wrong)
						}
						t.Logf("%v; %d conflicts, %d receipts", k.byName(p), k.rolled, len(k.receipts))
						if writes := !strings.Contains("read_only point_select", mode); writes != (len(k.receipts) > 0) {
							t.Errorf("%d receipts", len(k.receipts))
						}
						execute(t, open(t, i.Admin()), "drop table sbtest1, sbtest2")
					})
				}
			}
		})
	}
}

// quickDeadlocks has PostgreSQL look for deadlocks at once; a second each would
// make the test take minutes.
func quickDeadlocks(t *testing.T, admin workload.Target) {
	if admin.Endpoint(db).Kind == sqlwire.Postgres {
		execute(t, open(t, admin), "alter system set deadlock_timeout = '10ms'", "select pg_reload_conf()")
	}
}

// TestStatementsOfATransaction compares the mix with sysbench's: 14 reads, 4
// writes, begin and commit.
func TestStatementsOfATransaction(t *testing.T) {
	e := engines()[0]
	p := parameters(func(p *oltp.Parameters) { p.Reconnect = 3 })
	i := start(t, e, p)
	prepare(t, i, p)
	k := play(t, i.Target(), p, 1, 10)
	want := map[string]int{"transaction": 10, "begin": 10, "point_select": 100, "simple_range": 10, "sum_range": 10, "order_range": 10,
		"distinct_range": 10, "index_update": 10, "non_index_update": 10, "delete": 10, "insert": 10, "commit": 10, "statement": 200, "reconnect": 3}
	got := k.byName(p)
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d, want %d", name, got[name], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("operations %v", got)
	}
}

func needSysbench(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sysbench"); err != nil {
		t.Skip("sysbench is not installed (apt-get install sysbench)")
	}
}

// TestSysbenchDrivesWhatWePrepared runs every test of sysbench on our tables.
func TestSysbenchDrivesWhatWePrepared(t *testing.T) {
	needSysbench(t)
	for _, e := range engines() {
		t.Run(e.Name(), func(t *testing.T) {
			p := parameters(func(p *oltp.Parameters) { p.Tables, p.TableSize = 2, 1000 })
			i := start(t, e, p)
			prepare(t, i, p)
			for _, mode := range []string{"read_write", "read_only", "write_only", "point_select", "update_index", "update_non_index", "insert", "delete"} {
				out, err := oltptest.RunSysbench(t.Context(), i.Target().Endpoint(db), "oltp_"+mode, "--tables=2", "--table_size=1000", "--threads=2", "--events=100", "--time=60", "run")
				if err != nil {
					t.Error(err)
				}
				if !strings.Contains(string(out), "total number of events:              100") {
					t.Errorf("%s: %s", mode, out)
				}
			}
		})
	}
}

// TestWeDriveWhatSysbenchPrepared plays and audits on sysbench's tables: what was
// loaded is not known, what was written is.
func TestWeDriveWhatSysbenchPrepared(t *testing.T) {
	needSysbench(t)
	for _, e := range engines() {
		t.Run(e.Name(), func(t *testing.T) {
			p := parameters(func(p *oltp.Parameters) { p.Tables, p.TableSize = 2, 1000 })
			i := start(t, e, p)
			if _, err := oltptest.RunSysbench(t.Context(), i.Admin().Endpoint(db), "oltp_read_write", "--tables=2", "--table_size=1000", "prepare"); err != nil {
				t.Fatal(err)
			}
			k := play(t, i.Target(), p, 4, 50)
			for _, wrong := range audit(t, i.Target(), p, k.receipts) {
				t.Error(wrong)
			}
			// Of a single transaction others may have overwritten all rows.
			if wrong := audit(t, i.Target(), p, k.receipts[:len(k.receipts)/2]); len(wrong) == 0 {
				t.Error("transactions that were not acknowledged are not found")
			}
		})
	}
}

// TestOtherTablesAreRefused names what was found and what was expected.
func TestOtherTablesAreRefused(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.Name(), func(t *testing.T) {
			p := parameters(func(p *oltp.Parameters) { p.Tables, p.TableSize = 2, 100 })
			i := start(t, e, p)
			refused := func(p *oltp.Parameters, want ...string) {
				t.Helper()
				_, err := oltp.Workload{}.Open(t.Context(), i.Target(), p, 0, 1)
				if err == nil {
					t.Fatal("the tables are not refused")
				}
				for _, w := range want {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("error %q does not say %q", err, w)
					}
				}
			}
			refused(p, "found no table sbtest1", "expected 2 tables", "(id integer, k integer, c char(120), pad char(60))")
			pool := open(t, i.Admin())
			execute(t, pool, "create table sbtest1 (id integer primary key, k integer, name varchar(10))", "create table sbtest2 (id integer primary key)")
			refused(p, "sbtest1: found columns (id integer, k integer, name", "sbtest2: found columns (id integer)", "expected (id integer, k integer, c char(120), pad char(60))")
			execute(t, pool, "drop table sbtest1, sbtest2")
			prepare(t, i, p)
			refused(parameters(func(p *oltp.Parameters) { p.Tables, p.TableSize = 2, 1000 }), "table sbtest1: found 100", "expected table_size: 1000")
			refused(parameters(func(p *oltp.Parameters) { p.Tables, p.TableSize = 3, 100 }), "found no table sbtest3")
		})
	}
}
