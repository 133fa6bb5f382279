package campaign_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// A class that hands out what nothing generic knows, and a workload on it: their
// endpoints pass through the campaign, whose files name neither.
func TestBuckets(t *testing.T) {
	inTime(t, campaigntest.Plan([]study.Variant{campaigntest.OnBuckets("a")}, []int{2}, 2), func(r *runs) {
		r.WithBuckets()
		trials := r.finishes()
		passed(r.t, trials...)
		for _, trial := range trials {
			if trial.Audit == nil {
				r.t.Fatalf("%+v", trial.Failure)
			}
			if trial.Audit.Acknowledged == 0 || trial.Provisioned.By != result.InPlace {
				r.t.Errorf("%s: %+v, provisioned %+v", trial.ID, trial.Audit, trial.Provisioned)
			}
		}
		if made := len(r.Calls("Class.Provision")); made != 4 || made != len(r.Calls("Class.Delete")) {
			r.t.Errorf("%d buckets were made and %d deleted", made, len(r.Calls("Class.Delete")))
		}
	})
}

// A role with two mounts on two classes: both are made, given to its server, and
// deleted; the result says where they lie.
func TestAServerWithTwoMounts(t *testing.T) {
	inTime(t, campaigntest.Plan([]study.Variant{campaigntest.Archiving("a")}, []int{2}, 1), func(r *runs) {
		r.WithBuckets()
		trial := r.finishes()[0]
		passed(r.t, trial)
		if trial.Storages["store"] == nil || len(trial.Storages) != 2 {
			r.t.Errorf("on %v", trial.Storages)
		}
		var made []string
		for _, c := range r.Calls("Class.Provision") {
			made = append(made, c.Name)
		}
		slices.Sort(made)
		if want := "t1-db-000 t1-db-000-archive t1-db-001 t1-db-001-archive"; strings.Join(made, " ") != want {
			r.t.Errorf("made %v, want %s", made, want)
		}
		if up := len(r.Calls("Class.Up")); up != 2 {
			r.t.Errorf("%d classes came up", up)
		}
	})
}

// Servers that must know each other are told of all of their instance before the first
// of them starts, when data are loaded, when users come, and for the audit.
func TestSiblings(t *testing.T) {
	inTime(t, campaigntest.Plan([]study.Variant{campaigntest.OfSiblings("a")}, []int{2}, 1), func(r *runs) {
		r.WithSiblings()
		passed(r.t, r.finishes()...)
		reserved := 0
		for _, c := range r.Calls("") {
			switch {
			case c.Method == "Address" && strings.HasPrefix(c.Name, "t1-db-000"):
				reserved++
			case c.Method == "Start" && strings.HasPrefix(c.Name, "t1-db-000") && reserved < 3:
				r.t.Errorf("%s was started when %d addresses were known", c.Name, reserved)
			}
		}
	})
}

// Servers whose engine shares volumes live on one in each instance, which is laid out and
// deleted once; all of them have started when users come, and again for the audit.
func TestServersOnOneVolume(t *testing.T) {
	inTime(t, campaigntest.Plan([]study.Variant{campaigntest.Sharing("a", 3)}, []int{2}, 1), func(r *runs) {
		r.WithSharing()
		passed(r.t, r.finishes()...)
		if cloned, deleted := len(r.Calls("Class.Clone")), len(r.Calls("Class.Delete")); cloned != 2 || deleted != 2 {
			r.t.Errorf("%d volumes were cloned and %d deleted", cloned, deleted)
		}
		started := map[string]int{}
		for _, c := range r.Calls("Start") {
			started[c.Name]++
		}
		for _, server := range []string{"t1-db-000-0", "t1-db-000-2", "t1-db-001-1"} {
			if started[server] != 2 {
				r.t.Errorf("%s was started %d times: %v", server, started[server], started)
			}
		}
		if laid := len(r.Calls("Run")); laid != 1 {
			r.t.Errorf("%d volumes were laid out", laid)
		}
	})
}

// More than one server of a role is refused where each would have data of its own, and
// where volumes cannot be shared.
func TestThePlanRefusesServersThatCannotShare(t *testing.T) {
	w := campaigntest.New()
	w.WithSharing()
	for name, c := range map[string]struct{ engine, refused string }{
		"data of their own": {campaigntest.DB, "stack.db.count: each of 2 fakedb servers of an instance would have a volume and data of its own"},
		"one volume":        {campaigntest.SharingDB, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, w, `study: t
workload: {name: fake}
stack: {db: {name: `+c.engine+`, count: 2}}
storage: {mem: {class: fake}}
load: {users: 1}
ladder: [1]
phases: {warmup: 1s, measure: 2s}
`)
			if all := p.Problems; c.refused == "" && len(all) > 0 || c.refused != "" && (len(all) != 1 || !strings.Contains(all[0].Text, c.refused)) {
				t.Errorf("%+v", all)
			}
		})
	}
}

// planned is the plan of a study in a world.
func planned(t *testing.T, w *campaigntest.World, text string) *plan.Plan {
	t.Helper()
	parts := w.Parts()
	s, err := study.Parse("study.yaml", []byte(text), "", facts.Vocabulary(parts))
	if err != nil {
		t.Fatal(err)
	}
	p, err := facts.Plan(t.Context(), parts, s, facts.Site{}, facts.FetchNever)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// logging is two trials of two instances whose databases have their data and their logs on
// two storages.
func logging(v study.Variant, logs study.Storage) *plan.Plan {
	return campaigntest.Plan([]study.Variant{campaigntest.Logging(v, logs)}, []int{2}, 2)
}

// The volumes of a role with several mounts form one golden set: they are loaded once, and each
// is imported into its own storage and cloned there. A database with volumes from different sets
// does not become ready.
func TestGoldenVolumesOfARoleWithTwoMounts(t *testing.T) {
	v := campaigntest.Variant("a", campaigntest.Parameters{})
	own := func(p campaigntest.OwnParameters) study.Storage {
		return study.Storage{Class: campaigntest.OwnClassName, Parameters: &p}
	}
	for name, c := range map[string]struct {
		plan  *plan.Plan
		loads int
		by    string
		kept  int // data sets that the platform keeps
		why   string
	}{
		"both cloned from the platform's": {plan: logging(v, study.Storage{Class: campaigntest.ClassName}), loads: 1, kept: 1, by: result.Cloned},
		"both on classes with their own": {
			plan:  logging(campaigntest.OnOwnClass(v, campaigntest.OwnParameters{}), own(campaigntest.OwnParameters{})),
			loads: 1, by: "volume clone",
		},
		"one of them does not clone": {
			plan:  logging(campaigntest.OnOwnClass(v, campaigntest.OwnParameters{}), own(campaigntest.OwnParameters{NoClones: "the driver cannot"})),
			loads: 4, by: result.InPlace, why: "the driver cannot",
		},
		"only one has its own": {plan: logging(v, own(campaigntest.OwnParameters{})), loads: 4, by: result.InPlace, why: "storage logs clones none but its own volumes"},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, c.plan, func(r *runs) {
				r.WithLogs()
				trials := r.finishes()
				passed(r.t, trials...)
				if loads, kept := len(r.Calls("Workload.Prepare")), len(r.Calls("MakeGolden")); loads != c.loads || kept != c.kept {
					r.t.Errorf("%d loads, of which the platform kept %d", loads, kept)
				}
				for _, trial := range trials {
					if p := provisioned(r.t, trial); p.By != c.by || !strings.Contains(p.Why, c.why) || p.Why != "" && c.why == "" {
						r.t.Errorf("%s: %+v", trial.ID, p)
					}
				}
				clones := len(r.Calls("Class.Clone"))
				if want := 8; c.by == result.InPlace && clones > 0 || c.by != result.InPlace && clones != want {
					r.t.Errorf("%d volumes were cloned", clones)
				}
			})
		})
	}
}

// The plan knows what of an instance lies on which storage.
func TestThePlanSharesOutTheMountsOfARole(t *testing.T) {
	w := campaigntest.New()
	w.WithLogs()
	p := planned(t, w, `study: t
workload: {name: fakelogged}
stack: {db: {name: fakeloggingdb, storage: {log: logs}}}
storage: {mem: {class: fake}, logs: {class: fake}}
matrix: {storage: [mem]}
load: {users: 1}
ladder: [1]
phases: {warmup: 1s, measure: 2s}
`)
	f := p.FactsOf(p.Variants[0])
	mem, log := f.Storages["mem"].Holds, f.Storages["logs"].Holds
	if mem == nil || log == nil || log.Bytes != campaigntest.LogBytes || log.Overhead != 0 || mem.Bytes != 10 || mem.Overhead == 0 || f.Dataset.Bytes != 10+campaigntest.LogBytes {
		t.Errorf("the storages hold %+v and the logs %+v, of %+v in all", mem, log, f)
	}
}
