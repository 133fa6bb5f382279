package oltp_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp"
	"plimsoll/internal/workload/oltp/receipt"
	"plimsoll/internal/workload/sqldb"
)

const db = "db"

func engines() []app.Engine { return []app.Engine{postgres.Engine{}, mariadb.Engine{}} }

func TestPostgres(t *testing.T) { conformance(t, postgres.Engine{}) }

func TestMariaDB(t *testing.T) { conformance(t, mariadb.Engine{}) }

func parameters(change func(*oltp.Parameters)) *oltp.Parameters {
	p := oltp.Workload{}.Defaults().(*oltp.Parameters)
	change(p)
	return p
}

const tables = 3

func conformance(t *testing.T, e app.Engine) {
	wrong := map[string]workload.Parameters{}
	for field, change := range map[string]func(*oltp.Parameters){
		"mode":             func(p *oltp.Parameters) { p.Mode = "read_often" },
		"tables":           func(p *oltp.Parameters) { p.Tables = 0 },
		"table_size":       func(p *oltp.Parameters) { p.TableSize = 1 << 31 },
		"range_size":       func(p *oltp.Parameters) { p.RangeSize = 0 },
		"point_selects":    func(p *oltp.Parameters) { p.PointSelects = -1 },
		"delete_inserts":   func(p *oltp.Parameters) { p.DeleteInserts = 1_000_000 },
		"reconnect":        func(p *oltp.Parameters) { p.Reconnect = -1 },
		"rand_type":        func(p *oltp.Parameters) { p.RandType = "normal" },
		"rand_spec_iter":   func(p *oltp.Parameters) { p.RandSpecIter = 0 },
		"rand_spec_pct":    func(p *oltp.Parameters) { p.RandSpecPct = 101 },
		"rand_spec_res":    func(p *oltp.Parameters) { p.RandSpecRes = 0 },
		"rand_pareto_h":    func(p *oltp.Parameters) { p.RandParetoH = 1 },
		"rand_zipfian_exp": func(p *oltp.Parameters) { p.RandZipfianExp = -1 },
	} {
		wrong[field] = parameters(change)
	}
	workloadtest.Run(t, workloadtest.Suite{
		Workload: oltp.Workload{}, Environment: workloadtest.Here(e),
		Parameters: parameters(func(p *oltp.Parameters) { p.Tables, p.TableSize, p.RandType = tables, 3000, "uniform" }),
		Wrong:      wrong,
		Empty: func(t *testing.T, target workload.Target) {
			pool := open(t, target)
			for table := 1; table <= tables; table++ {
				execute(t, pool, fmt.Sprintf("drop table if exists sbtest%d", table))
			}
		},
		Falsified: falsified, Doubtful: doubtful,
		Damages: damages(),
	})
}

// open connects until the test ends.
func open(t *testing.T, target workload.Target) *sql.DB {
	t.Helper()
	pool, err := sqldb.Open(t.Context(), target.Endpoint(db), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return pool
}

func execute(t *testing.T, pool *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := pool.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// changed returns the receipts with a change to the one at a place.
func changed(all [][]byte, at int, change func(*receipt.Receipt)) [][]byte {
	own := append([][]byte{}, all...)
	r := read(all[at])
	change(&r)
	own[at] = r.Append(nil)
	return own
}

func read(b []byte) (r receipt.Receipt) {
	if err := r.Read(b); err != nil {
		panic(err)
	}
	return r
}

func falsified(all [][]byte) map[string][][]byte {
	return map[string][][]byte{
		"a transaction that was not acknowledged": all[1:],
		"a transaction acknowledged twice":        append(all[:len(all):len(all)], all[0]),
		"a transaction that never was":            append(all[:len(all):len(all)], changed(all, 0, func(r *receipt.Receipt) { r.Number++ })[0]),
		"a transaction of another user":           changed(all, 0, func(r *receipt.Receipt) { r.User++ }),
		"an increment of another row":             changed(all, 0, func(r *receipt.Receipt) { r.Writes[0].ID++ }),
		"an insert of another k":                  changed(all, 0, func(r *receipt.Receipt) { r.Writes[len(r.Writes)-1].K++ }),
		"an insert that was not acknowledged":     changed(all, 0, func(r *receipt.Receipt) { r.Writes = r.Writes[:len(r.Writes)-1] }),
		"a transaction in doubt that is there in part": changed(all, 0, func(r *receipt.Receipt) {
			at := r.Writes[0].From
			r.Doubtful, r.Writes = true, append(r.Writes, receipt.Write{Kind: receipt.Text, Table: 1, ID: 2999, From: at, To: at})
		}),
	}
}

func doubtful(all [][]byte) map[string][][]byte {
	doubt := func(r *receipt.Receipt) { r.Doubtful = true }
	return map[string][][]byte{
		"a transaction that is there": changed(all, 0, doubt),
		"a transaction that is not there": append(all[:len(all):len(all)], changed(all, 0, func(r *receipt.Receipt) {
			r.Doubtful, r.Number = true, r.Number+1
		})[0]),
	}
}

// Names of checks.
const (
	missing   = "loaded and inserted rows that nobody deleted are there"
	undeleted = "deleted rows are gone"
	kCheck    = "k of every row is what it began as plus its acknowledged increments"
	cCheck    = "c of every row is what its last acknowledged writer wrote"
	padCheck  = "pad of every row is what was loaded, or its insert wrote"
	invented  = "rows that nobody inserted, or that are there twice"
	partial   = "transactions in doubt that are there in part"
)

// damages change the database behind the application's back. {incremented},
// {written} and {inserted} stand for rows of an acknowledged transaction: a table
// and the condition of a row.
func damages() []workloadtest.Damage {
	var all []workloadtest.Damage
	for _, d := range []struct{ name, fails, statement string }{
		{"an increment is lost", kCheck, "update {incremented} set k = k - 1 where {row}"},
		{"an increment came twice", kCheck, "update {incremented} set k = k + 1 where {row}"},
		{"an incremented row is gone", missing, "delete from {incremented} where {row}"},
		{"c is as nobody wrote it", cCheck, "update {written} set c = reverse(c) where {row}"},
		{"c is another row's", cCheck, "update {written} set c = pad where {row}"},
		{"an inserted row is gone", missing, "delete from {inserted} where {row}"},
		{"an inserted row has another k", kCheck, "update {inserted} set k = k + 1 where {row}"},
		{"an inserted row has another pad", padCheck, "update {inserted} set pad = reverse(pad) where {row}"},
		{"a loaded row is gone", missing, "delete from sbtest1 where id = 3000"},
		{"a loaded row has another k", kCheck, "update sbtest1 set k = k + 1 where id = 3000"},
		{"a loaded row has another c", cCheck, "update sbtest1 set c = pad where id = 3000"},
		{"a row is invented", invented, "insert into sbtest2 (k, c, pad) values (1, 'x', 'y')"},
	} {
		all = append(all, workloadtest.Damage{Name: d.name, Fails: d.fails,
			Do: func(t *testing.T, target workload.Target, receipts [][]byte) {
				pool := open(t, target)
				for table := 1; table <= tables; table++ {
					execute(t, pool, fmt.Sprintf("create table kept%d as select * from sbtest%d", table, table))
				}
				execute(t, pool, fill(d.statement, read(receipts[len(receipts)-1])))
			},
			Undo: func(t *testing.T, target workload.Target, _ [][]byte) {
				pool := open(t, target)
				for table := 1; table <= tables; table++ {
					execute(t, pool, fmt.Sprintf("delete from sbtest%d", table),
						fmt.Sprintf("insert into sbtest%d select * from kept%d", table, table), fmt.Sprintf("drop table kept%d", table))
				}
			},
		})
	}
	return all
}

func fill(statement string, r receipt.Receipt) string {
	for name, kind := range map[string]receipt.Kind{"incremented": receipt.Increment, "written": receipt.Text, "inserted": receipt.Insert} {
		for _, w := range r.Writes {
			if w.Kind == kind && strings.Contains(statement, "{"+name+"}") {
				return strings.NewReplacer("{"+name+"}", fmt.Sprintf("sbtest%d", w.Table), "{row}", fmt.Sprintf("id = %d", w.ID)).Replace(statement)
			}
		}
	}
	return statement
}

func start(t *testing.T, e app.Engine, p *oltp.Parameters) *workloadtest.Instance {
	t.Helper()
	return workloadtest.Start(t, e, db, oltp.Workload{}.Dataset(p, workload.Kinds{db: e.Kind()}, seed))
}

const seed = 17

func prepare(t *testing.T, i *workloadtest.Instance, p *oltp.Parameters) {
	t.Helper()
	if err := (oltp.Workload{}).Prepare(t.Context(), i.Admin(), p, seed, func(float64) {}); err != nil {
		t.Fatal(err)
	}
}

// audit returns the faults of an instance.
func audit(t *testing.T, target workload.Target, p *oltp.Parameters, receipts [][]byte) (wrong []string) {
	t.Helper()
	r, err := oltp.Workload{}.Audit(t.Context(), target, p, seed, func(yield func([]byte) bool) error {
		for _, b := range receipts {
			if !yield(b) {
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if !c.Passed {
			wrong = append(wrong, fmt.Sprintf("%s: %d: %q", c.Name, c.Found, c.Examples))
		}
	}
	if r.Present != r.Acknowledged && len(wrong) == 0 {
		wrong = append(wrong, fmt.Sprintf("%d acknowledged, %d present", r.Acknowledged, r.Present))
	}
	return wrong
}
