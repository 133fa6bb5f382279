package dvdstore_test

import (
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/dvdstoretest"
	"plimsoll/internal/workload/workloadtest"
)

// A block that the storage loses while the server has it in memory is not
// missed until the server is started again: the reason why a campaign does so
// before it audits.
func TestALostBlockShowsAfterARestart(t *testing.T) {
	for _, engine := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} {
		t.Run(engine.Name(), func(t *testing.T) {
			i := start(t, engine)
			p := small()
			if err := (dvdstore.Workload{}).Prepare(t.Context(), i.Admin(), p, 1, func(float64) {}); err != nil {
				t.Fatal(err)
			}
			i.Restart(t) // what loading left dirty is written
			if why := audit(t, i, p); why != "" {
				t.Fatalf("before the loss: %s", why)
			}
			dvdstoretest.LoseOrders(t, i.Volume(), i.Target().Endpoint("db"))
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
