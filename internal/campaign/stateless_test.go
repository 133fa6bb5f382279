package campaign_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Web servers that keep nothing have no volume, and run only while users are at
// work: the golden volume is made without them, and serves a stack without them.
func TestServersThatKeepNothing(t *testing.T) {
	web := campaigntest.Variant("web", campaigntest.Parameters{Web: true, Stateless: true})
	plain := campaigntest.Variant("plain", campaigntest.Parameters{})
	inTime(t, campaigntest.Plan([]study.Variant{web, plain}, []int{2}, 1), func(r *runs) {
		passed(r.t, r.finishes()...)
		if made := r.Calls("MakeGolden"); len(made) != 1 {
			r.t.Errorf("golden volumes were made %d times: %v", len(made), made)
		}
		starts := map[string]int{}
		for _, c := range r.Calls("") {
			if !strings.Contains(c.Name, "web-") {
				continue
			}
			switch c.Method {
			case "Start":
				starts[c.Name]++
			case "Class.Clone", "Class.Provision", "Class.Delete", "Run", "Class.CheckCopies":
				r.t.Errorf("a web server has %s", c)
			}
		}
		if len(starts) != 4 {
			r.t.Errorf("web servers were started: %v", starts)
		}
		for name, times := range starts {
			if times != 1 {
				r.t.Errorf("%s was started %d times", name, times)
			}
		}
	})
}

// If the databases of an instance already exist, the instance has nothing on a volume.
func TestServersThatKeepNothingBesideExistingOnes(t *testing.T) {
	v := campaigntest.OnExisting(campaigntest.Variant("a", campaigntest.Parameters{Web: true, Stateless: true}), one, two)
	inTime(t, campaigntest.Plan([]study.Variant{v}, []int{2}, 1), func(r *runs) {
		passed(r.t, r.finishes()...)
		if made := r.Calls("Class.Provision"); len(made) > 0 {
			r.t.Errorf("volumes were made: %v", made)
		}
	})
}

// A role that is killed comes back alone; the others go on, and all that was
// acknowledged is there.
func TestARoleIsKilled(t *testing.T) {
	for role, again := range map[string][]string{"db": {"t1-db-001"}, "web": {"t1-web-001-0", "t1-web-001-1"}} {
		t.Run(role, func(t *testing.T) {
			v := campaigntest.Variant("a", campaigntest.Parameters{Web: true, Stateless: true})
			p := campaigntest.Plan([]study.Variant{v}, []int{2}, 1)
			p.Study.Faults = []study.Event{{At: seconds(1), Do: "kill instance 1 " + role}}
			inTime(t, p, func(r *runs) {
				trial := r.finishes()[0]
				passed(r.t, trial)
				var killed []string
				for _, c := range r.Calls("Process.Kill") {
					killed = append(killed, c.Name)
				}
				slices.Sort(killed)
				if !slices.Equal(killed, again) {
					r.t.Errorf("killed were %v, not %v", killed, again)
				}
				if !slices.ContainsFunc(trial.Events, func(e result.Event) bool {
					return strings.Contains(e.Text, "role "+role+" of instance 1 answers again")
				}) {
					r.t.Errorf("events: %+v", trial.Events)
				}
			})
		})
	}
}

// What servers count of themselves is in the results, with what an analysis needs to
// name the key that gives more of it.
func TestWhatServersCountIsKept(t *testing.T) {
	v := campaigntest.Variant("web", campaigntest.Parameters{Web: true, Stateless: true})
	inTime(t, campaigntest.Plan([]study.Variant{v}, []int{2}, 1), func(r *runs) {
		trial := r.finishes()[0]
		at := slices.IndexFunc(trial.Servers, func(s result.Server) bool { return s.Role == "web" })
		if at < 0 || trial.Servers[at].Gauge == nil || trial.Servers[at].Gauge.Setting != "workers" || !trial.Servers[at].Stateless {
			r.t.Fatalf("servers are %+v", trial.Servers)
		}
		got := map[string]float64{}
		for _, s := range trial.Resources {
			if s.Kind == "gauge" {
				got[s.Name+" "+s.Metric] = s.Mean
			}
		}
		for name, want := range map[string]float64{"web-000-0/workers busy": 3, "web-001-1/workers capacity": 4, "web-001-0/workers waiting": 2} {
			if got[name] != want {
				r.t.Errorf("%s is %v in %v", name, got[name], got)
			}
		}
	})
}

// A trial says which machines it ran on, and what each of them was there for.
func TestMachinesAreKept(t *testing.T) {
	inTime(t, campaigntest.Plan([]study.Variant{campaigntest.Variant("web", campaigntest.Parameters{Web: true})}, []int{1}, 1), func(r *runs) {
		if machines := r.finishes()[0].Machines; len(machines) != 1 || machines[0].Name != "fake" || !machines[0].Is(result.DriverRole) {
			r.t.Errorf("machines are %+v", machines)
		}
	})
}
