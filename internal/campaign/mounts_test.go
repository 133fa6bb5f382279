package campaign_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
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
		if _, ok := trial.Placed["store"]; !ok || len(trial.Placed) != 1 {
			r.t.Errorf("placed on %v", trial.Placed)
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
