package dvdstore_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/workloadtest"
)

// A block that the storage loses while the server has it in memory is not
// missed until the server is started again: the reason why a campaign does so
// before it audits.
func TestALostBlockShowsAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		engine app.Engine
		lose   func(*testing.T, *workloadtest.Instance)
	}{"postgres": {postgres.Engine{}, loseFromPostgres}, "mariadb": {mariadb.Engine{}, loseFromMariaDB}} {
		t.Run(name, func(t *testing.T) {
			i := workloadtest.Start(t, c.engine)
			p := parameters(func(p *dvdstore.Parameters) { p.Size = "1MB" })
			if err := (dvdstore.Workload{}).Prepare(t.Context(), i.Admin(), p, 1, func(float64) {}); err != nil {
				t.Fatal(err)
			}
			i.Restart(t) // what loading left dirty is written
			if why := audit(t, i, p); why != "" {
				t.Fatalf("before the loss: %s", why)
			}
			c.lose(t, i)
			if why := audit(t, i, p); why != "" {
				t.Fatalf("the loss shows already, so that this test tests nothing: %s", why)
			}
			i.Restart(t)
			why := audit(t, i, p)
			if why == "" {
				t.Error("the loss does not show although the server was started again")
			}
			t.Log(why)
		})
	}
}

// audit reads all orders and says what is wrong with the instance.
func audit(t *testing.T, i *workloadtest.Instance, p workload.Parameters) string {
	t.Helper()
	r, err := dvdstore.Workload{}.Audit(t.Context(), i.Target(), p, 1, func(func(workload.Ack) bool) error { return nil })
	if err != nil {
		return err.Error()
	}
	for _, c := range r.Checks {
		if !c.Passed {
			return c.Name
		}
	}
	return ""
}

// loseFromPostgres zeroes the first page of the lines of loaded orders.
func loseFromPostgres(t *testing.T, i *workloadtest.Instance) {
	t.Helper()
	var path string
	if err := open(t, i.Target()).QueryRowContext(t.Context(), "select pg_relation_filepath('orderlines')").Scan(&path); err != nil {
		t.Fatal(err)
	}
	zero(t, filepath.Join(i.Volume(), "postgres", path), 0, 8192)
}

// loseFromMariaDB zeroes the first leaf of the orders' primary key. Pages of a
// B-tree (type 17855) have their level and index in the header; page 3 is the
// root of the primary key.
func loseFromMariaDB(t *testing.T, i *workloadtest.Instance) {
	t.Helper()
	path := filepath.Join(i.Volume(), "mariadb", "DS2", "ORDERS.ibd")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, kind, level, index = 16384, 24, 64, 66
	primary := binary.BigEndian.Uint64(text[3*page+index:])
	for at := 4 * page; at+page <= len(text); at += page {
		p := text[at:]
		if binary.BigEndian.Uint16(p[kind:]) == 17855 && binary.BigEndian.Uint16(p[level:]) == 0 && binary.BigEndian.Uint64(p[index:]) == primary {
			zero(t, path, int64(at), page)
			return
		}
	}
	t.Fatal("the orders have no leaf")
}

func zero(t *testing.T, path string, at, length int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, length), at); err != nil {
		t.Fatal(err)
	}
}
