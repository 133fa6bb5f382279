package experiment

import (
	"slices"
	"testing"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// A pool's disks get the faster medium together, and its servers the CPU: the
// others like the busiest are not what bounds next.
func TestWhatChangesTogetherIsNoNextBottleneck(t *testing.T) {
	disks := []resource.Resource{
		{Name: "disk loop0 of peer1", Kind: "device", Utilisation: 0.95, Servers: 1},
		{Name: "disk loop1 of peer2", Kind: "device", Utilisation: 0.94, Servers: 1},
		{Name: "CPU of the machine", Kind: "cpu", Utilisation: 0.2, Servers: 8},
	}
	if got := roomBeforeNext(disks, disks[0]); got != 4 {
		t.Errorf("twice as fast a medium leaves room, but the factor is %d", got)
	}
	if got := resource.ChangedWith(disks, disks[0]); len(got) != 2 {
		t.Errorf("with the first disk change %v", got)
	}
	if got := resource.ChangedWith(disks, disks[2]); len(got) != 1 {
		t.Errorf("with the CPU change %v", got)
	}
}

// The storage class says which of its parameters the next experiment changes;
// where it says nothing, the experiment is words alone.
func TestExperimentsChangeWhatTheStorageClassNames(t *testing.T) {
	medium := describe.Hint{Resource: "device", Parameter: "tape", From: "lto-8", To: "lto-9"}
	limit := describe.Hint{Resource: "node", Parameter: "robots.cpu"}
	ofRole := describe.Hint{Resource: "device", Role: "data", Parameter: "data", From: "slow", To: "fast"}
	beside := describe.Hint{Resource: "device", Role: "data", Parameter: "cache", From: "1GiB", To: "2GiB", Beside: true}
	for _, c := range []struct {
		name    string
		hints   []describe.Hint
		factors map[string]string
		top     resource.Resource
		want    Experiment
	}{
		{"a faster medium", []describe.Hint{limit, medium}, nil, resource.Resource{Kind: "device", Servers: 1}, Experiment{Path: "storage.lib.tape", From: "lto-8", To: "lto-9"}},
		{"more of a limit", []describe.Hint{limit, medium}, nil, resource.Resource{Kind: "node", Servers: 2}, Experiment{Path: "storage.lib.robots.cpu", From: "2", To: "8"}},
		{"more of a limit that was added up", []describe.Hint{limit, medium}, nil, resource.Resource{Kind: "node", Servers: 0.19999999999999998}, Experiment{Path: "storage.lib.robots.cpu", From: "0.2", To: "0.8"}},
		{"of all storages", []describe.Hint{limit}, map[string]string{"storage.*.robots.cpu": "2"}, resource.Resource{Kind: "node", Servers: 2}, Experiment{Path: "storage.*.robots.cpu", From: "2", To: "8"}},
		{"a limit of nothing", []describe.Hint{limit}, nil, resource.Resource{Kind: "node"}, Experiment{}},
		{"another resource", []describe.Hint{limit}, nil, resource.Resource{Kind: "device"}, Experiment{}},
		{"of devices of a role", []describe.Hint{{Resource: "device", Role: "index", Parameter: "index"}, beside, ofRole}, nil, resource.Resource{Kind: "device", Device: "loop1", Servers: 1},
			Experiment{Path: "storage.lib.data", From: "slow", To: "fast", Beside: []Setting{{"storage.lib.cache", "1GiB", "2GiB"}}}},
		{"no hints", nil, nil, resource.Resource{Kind: "device"}, Experiment{}},
	} {
		v := &model.Variant{Name: "a", Factors: map[string]string{"storage": "lib"}}
		for path, level := range c.factors {
			v.Factors[path] = level
		}
		s := &setup.Subject{Evidence: &trust.Evidence{Run: &result.Run{Trials: []*result.Trial{{Variant: study.Variant{Name: "a"}, Storages: result.OnlyStorage(study.Variant{}, describe.Storage{Hints: c.hints}), Devices: []describe.Device{{Name: "loop1", Role: "data"}}}}}}}
		if got := (Experiment{Top: c.top, Forecast: Forecast{Factor: 4}}).hinted(s, v); got.Path != c.want.Path || got.From != c.want.From || got.To != c.want.To || !slices.Equal(got.Beside, c.want.Beside) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
