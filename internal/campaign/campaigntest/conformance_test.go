package campaigntest

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/journal/journaltest"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

func TestMain(m *testing.M) { os.Exit(journaltest.WithRegisters(m)) }

// The suite of workloads asks for no database: these have buckets, two mounts, servers
// that keep nothing, servers that know each other, volumes without a server, and existing
// servers.
func TestWorkloadsOfManyKindsPass(t *testing.T) {
	for name, c := range map[string]struct {
		workload   func(w *World) workload.Workload
		database   func(w *World) app.Engine
		parameters Parameters
	}{
		"a bucket alone":               {workload: func(w *World) workload.Workload { return w.objects() }},
		"a database and its archive":   {workload: func(w *World) workload.Workload { return w.archive() }, database: func(w *World) app.Engine { return w.archiveDB() }},
		"a database and its log":       {workload: func(w *World) workload.Workload { return w.logged() }, database: func(w *World) app.Engine { return w.loggingDB() }},
		"two servers that keep data":   {parameters: Parameters{Web: true}},
		"three roles, one of a volume": {parameters: Parameters{Web: true, Stateless: true, Files: true}},
		"three siblings": {
			workload: func(w *World) workload.Workload { return &cluster{&work{w, ClusterName}} },
			database: func(w *World) app.Engine { return clusterDB{database{engine{w, ClusterDB, databaseKind}}} },
		},
		"fixed work": {parameters: Parameters{Records: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New()
			databases := w.Engines()[DB]
			if c.database != nil {
				databases = c.database(w)
			}
			var runs workload.Workload = &work{w: w}
			if c.workload != nil {
				runs = c.workload(w)
			}
			workloadtest.Run(t, workloadtest.Suite{
				Workload: runs, Parameters: &c.parameters, Environment: w.environment(t, databases),
				Empty: func(*testing.T, workload.Target) { w.forget() },
				Falsified: func(receipts [][]byte) map[string][][]byte {
					return map[string][][]byte{"one is missing": receipts[1:], "one is invented": append(receipts, []byte("nobody's"))}
				},
				Damages: []workloadtest.Damage{w.damage(runs.Roles(&c.parameters)[0].Name)},
			})
		})
	}
}

// An existing database is reached by its endpoint; work of no role needs nothing.
func TestWorkloadsOnWhatIsThereOrOnNothingPass(t *testing.T) {
	t.Run("an existing server", func(t *testing.T) {
		t.Parallel()
		w := New()
		workloadtest.Run(t, workloadtest.Suite{
			Workload: &work{w: w}, Parameters: &Parameters{},
			Empty: func(*testing.T, workload.Target) { w.state.databases = map[string]*Database{} },
			Environment: workloadtest.Site(func(*testing.T) endpoint.Endpoint {
				return endpoint.Endpoint{Kind: databaseKind, Network: "tcp", Address: "somewhere:1", Payload: endpoint.With(endpoint.SQL{Database: "existing"})}
			}),
		})
	})
	t.Run("no role", func(t *testing.T) {
		t.Parallel()
		workloadtest.Run(t, workloadtest.Suite{Workload: idle{&work{w: New()}}, Parameters: &Parameters{}})
	})
}

// environment has the world's servers, directories and buckets.
func (w *World) environment(t *testing.T, databases app.Engine) workloadtest.Environment {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"), "run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	env := storage.Env{Scratch: t.TempDir(), Journal: j}
	return workloadtest.Environment{
		Engines: []app.Engine{databases, w.Engines()[Web]},
		Platform: func(t *testing.T) platform.Platform {
			p, err := w.Platform().New(platform.Env{Journal: j})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Volume: func(t *testing.T, _ platform.Platform, name, kind string) storage.Volume {
			var of storage.Kind = classKind{w}
			if kind == bucketKind {
				of = bucketClassKind{classKind{w}}
			}
			c, err := of.New(name, of.Defaults(), env)
			if err != nil {
				t.Fatal(err)
			}
			v, err := c.Provision(t.Context(), storage.Claim{Name: name, Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			return v
		},
	}
}

// forget takes all records from all volumes.
func (w *World) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range w.state.volumes {
		clear(v.records)
	}
}

// damage takes a record, and gives it back.
func (w *World) damage(role string) workloadtest.Damage {
	lost := ""
	return workloadtest.Damage{
		Name: "a record is lost", Fails: "every acknowledged record is in " + role,
		Do: func(t *testing.T, _ workload.Target, receipts [][]byte) {
			lost = w.LoseRecord(role)
			if lost == "" {
				t.Error("there is no record to lose")
			}
		},
		Undo: func(t *testing.T, to workload.Target, _ [][]byte) {
			for _, e := range inWorld(to).Endpoints { // each server of the role had it
				if e.Role != role {
					continue
				}
				if err := w.use(e, func(records map[string]bool) { records[lost] = true }); err != nil {
					t.Error(err)
				}
			}
		},
	}
}

// idle is work on nothing, which cannot be audited.
type idle struct{ workload.Workload }

func (idle) Capabilities() workload.Capabilities { return workload.Capabilities{} }

func (idle) Roles(workload.Parameters) []workload.Role { return nil }

func (idle) Dataset(workload.Parameters, workload.Kinds, uint64) workload.Dataset {
	return workload.Dataset{Description: "nothing"}
}

func (i idle) Describe(p workload.Parameters) describe.Profile {
	d := i.Workload.Describe(p)
	d.Correctness = "nothing is kept"
	return d
}
