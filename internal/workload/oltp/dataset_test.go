package oltp_test

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp"
)

// TestDatasetSpace holds the estimate against what loaded tables take.
func TestDatasetSpace(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.Name(), func(t *testing.T) {
			i := start(t, e, parameters(func(*oltp.Parameters) {}))
			for _, rows := range []int64{1000, 10_000, 100_000} {
				for _, secondary := range []bool{true, false} {
					p := parameters(func(p *oltp.Parameters) { p.TableSize, p.CreateSecondary = rows, secondary })
					prepare(t, i, p)
					got, want := space(t, i, e), (oltp.Workload{}).Dataset(p, workload.Kinds{db: e.Kind()}, seed).Space().Bytes
					t.Logf("%d rows, index of k: %v: %d bytes, estimated %d", rows, secondary, got, want)
					if float64(want) < 0.75*float64(got) || float64(want) > 1.33*float64(got) {
						t.Errorf("%d rows, index of k: %v: %d bytes, estimated %d", rows, secondary, got, want)
					}
					execute(t, open(t, i.Admin()), "drop table sbtest1")
				}
			}
		})
	}
}

// space is the size of the table with its indexes: on MariaDB, of its file.
func space(t *testing.T, i *workloadtest.Instance, e app.Engine) (bytes int64) {
	t.Helper()
	if e.Name() == "mariadb" {
		info, err := os.Stat(filepath.Join(i.Volume(), "mariadb", "sbtest", "sbtest1.ibd"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if err := open(t, i.Admin()).QueryRowContext(t.Context(), "select pg_total_relation_size('sbtest1')").Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestDatasetKey(t *testing.T) {
	kinds := workload.Kinds{db: "sql:postgres"}
	key := func(change func(*oltp.Parameters)) string {
		return oltp.Workload{}.Dataset(parameters(change), kinds, 1).Key()
	}
	usual := key(func(*oltp.Parameters) {})
	for name, change := range map[string]func(*oltp.Parameters){
		"tables":           func(p *oltp.Parameters) { p.Tables = 2 },
		"table_size":       func(p *oltp.Parameters) { p.TableSize = 2 },
		"rand_type":        func(p *oltp.Parameters) { p.RandType = "uniform" },
		"rand_spec_pct":    func(p *oltp.Parameters) { p.RandSpecPct = 2 },
		"create_secondary": func(p *oltp.Parameters) { p.CreateSecondary = false },
	} {
		if key(change) == usual {
			t.Errorf("%s makes other data with the same key", name)
		}
	}
	if got := key(func(p *oltp.Parameters) { p.Mode, p.PointSelects, p.RandParetoH = "read_only", 3, 0.3 }); got != usual {
		t.Errorf("the same data have keys %q and %q", usual, got)
	}
	if d := (oltp.Workload{}).Dataset(parameters(func(*oltp.Parameters) {}), workload.Kinds{db: "http"}, 1); d.Key() != "" {
		t.Errorf("a web server has a data set: %+v", d)
	}
}
