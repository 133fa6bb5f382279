package analysis

import (
	"slices"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// stackRun analyses a web stack whose bottleneck the test chooses, on storage of two servers.
func stackRun(t *testing.T, w webStack) *Analysis {
	t.Helper()
	w.gauge = &describe.Gauge{Name: "workers"}
	run := w.run(1, 2, 4, 8)
	for _, trial := range run.Trials {
		trial.Drivers = []result.DriverSummary{{Name: "driver-0"}, {Name: "driver-1"}}
		trial.Storage().Media, trial.Storage().Simulated, trial.Storage().Protection, trial.Storage().Class = "hdd-7200", true, "replica 2", "gluster"
		for i := range trial.Devices {
			trial.Devices[i].Owner = "peer1"
		}
		trial.Resources = append(trial.Resources,
			result.ResourceSummary{Kind: "node", Name: "peer1", Metric: "cpu", Mean: 0.1},
			result.ResourceSummary{Kind: "node", Name: "peer2", Metric: "cpu", Mean: 0.1},
			result.ResourceSummary{Kind: "node", Name: "medium-peer1", Metric: "cpu", Mean: 0.1})
	}
	return analyse(t, run)
}

// The topology has every part of the way from the users to the media, what of it is
// simulated, and the bottleneck at the part that it belongs to.
func TestTopology(t *testing.T) {
	for _, c := range []struct {
		name         string
		stack        webStack
		stage, limit string
	}{
		{"CPU of the machine", webStack{web: 0.001, php: 0.018, db: 0.003, disk: 0.0001, think: 100 * time.Millisecond}, "machine", "CPU of the machine"},
		{"disk", webStack{web: 0.001, php: 0.002, db: 0.003, disk: 0.02, think: 100 * time.Millisecond}, "media", "disk loop3 of peer1"},
		{"limit of a role", webStack{web: 0.0001, php: 0.018, db: 0.0003, disk: 0.0001, think: 100 * time.Millisecond, quota: 0.2}, "php", "CPU limit of a php server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := stackRun(t, c.stack)
			parts := a.Variants[0].Topology.Parts
			var names []string
			for _, p := range parts {
				names = append(names, string(p.Stage)+" "+p.Name)
				if p.Simulated != (p.Stage == "media" || p.Stage == "storage") {
					t.Errorf("%s: simulated is %v", p.Name, p.Simulated)
				}
				if want := "gluster, replica 2, all on one machine"; p.Stage == "storage" && p.Text != want {
					t.Errorf("the storage servers are %q, not %q", p.Text, want)
				}
			}
			if want := []string{"driver 2 drivers", "role web", "role php", "role db", "storage 2 storage servers", "media hdd-7200", "machine one machine"}; !slices.Equal(names, want) {
				t.Errorf("the parts are %q, want %q", names, want)
			}
			for _, p := range parts {
				limits := string(p.Stage) == c.stage || p.Name == c.stage
				if got := p.Limit; (got != "") != limits || limits && got != c.limit && got != c.limit+" (php-fpm)" {
					t.Errorf("%s %s has the bottleneck %q", p.Stage, p.Name, got)
				}
			}
		})
	}
}

// Of a run without telemetry the parts are known, but not the bottleneck.
func TestTopologyWithoutTelemetry(t *testing.T) {
	run := madeUp(meanBelow(0.2), sample{"a", 1, 1000, 0.1, false, func(t *result.Trial) {
		*t.Storage() = describe.Storage{Media: "nvme", Drives: 4, FileSystem: "xfs"}
	}})
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	top := a.Variants[0].Topology
	if i := slices.IndexFunc(top.Parts, func(p Part) bool { return p.Stage == "media" }); i < 0 || top.Parts[i].Text != "4 drives, xfs" {
		t.Errorf("the parts are %+v", top.Parts)
	}
	if slices.ContainsFunc(top.Parts, func(p Part) bool { return p.Limit != "" }) {
		t.Errorf("a bottleneck is known: %+v", top.Parts)
	}
}

// Storage servers on machines of their own are real, their simulated drives are not.
func TestTopologyOfRealServers(t *testing.T) {
	run := madeUp(meanBelow(0.2), sample{"a", 1, 1000, 0.1, false, func(t *result.Trial) {
		*t.Storage() = describe.Storage{Class: "gluster", Media: "hdd-7200", Simulated: true}
		for _, name := range []string{"peer1", "peer2"} {
			t.Machines = append(t.Machines, result.Host{Name: name, Roles: []string{result.StorageRole}})
		}
	}})
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.Variants[0].Topology.Parts {
		if p.Simulated != (p.Stage == "media") || p.Stage == "storage" && p.Text != "gluster" {
			t.Errorf("%+v", p)
		}
	}
}
