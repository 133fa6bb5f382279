package dvdstore_test

import (
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/test/nightly"
)

// A block that the storage loses while the server has it in memory is not
// missed until the server is started again: the reason why a campaign does so
// before it audits.
func TestALostBlockShowsAfterARestart(t *testing.T) {
	for _, engine := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} {
		t.Run(engine.Name(), func(t *testing.T) { loseBlock(t, engine, small(), "orders") })
		t.Run(engine.Name()+", version 3", func(t *testing.T) {
			p := version3(func(p *dvdstore.Parameters) { p.ReviewsPerProduct = 2 })
			for _, table := range []string{"reviews", "reviews_helpfulness"} {
				t.Run(table, func(t *testing.T) {
					if table == "reviews" || engine.Name() != "postgres" {
						nightly.Only(t, "the same with ratings on PostgreSQL, and with orders on both")
					}
					loseBlock(t, engine, p, table)
				})
			}
		})
	}
}

func loseBlock(t *testing.T, engine app.Engine, p workload.Parameters, table string) {
	i := load(t, engine, p)
	i.Restart(t) // what loading left dirty is written
	if why := audit(t, i, p); why != "" {
		t.Fatalf("before the loss: %s", why)
	}
	dvdstoretest.LoseRows(t, i.Volume(), i.Target().Endpoint("db"), table)
	if why := audit(t, i, p); why != "" {
		t.Fatalf("the loss shows already, so that this test tests nothing: %s", why)
	}
	i.Restart(t)
	why := audit(t, i, p)
	if why == "" {
		t.Error("the loss does not show although the server was started again")
	}
	t.Log(why)
}

// audit reads everything and returns the faults of the instance.
func audit(t *testing.T, i *workloadtest.Instance, p workload.Parameters) string {
	t.Helper()
	r, err := dvdstore.Workload{}.Audit(t.Context(), i.Target(), p, 1, func(func([]byte) bool) error { return nil })
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
