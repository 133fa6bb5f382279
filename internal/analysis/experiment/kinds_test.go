package experiment

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// What limits decides what to measure next.
func TestEachCauseHasItsExperiment(t *testing.T) {
	cpu := func(busy float64) resource.Resource {
		return resource.Resource{Name: "CPU", Kind: resource.CPU, Utilisation: busy, Servers: 8}
	}
	disk := func(busy float64) resource.Resource {
		return resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: busy, Servers: 1}
	}
	neighbour, uncertain := cpu(0.95), disk(0.95)
	neighbour.Other, uncertain.Uncertain = 0.5, true
	for name, c := range map[string]struct {
		mean      float64
		resources []resource.Resource
		next      int // of the line
		want      Kind
		path      string
		expect    string
	}{
		"users who think":  {0.11, []resource.Resource{cpu(0.3), disk(0.2)}, 0, FindLimit, "load.users", "better"},
		"a lock":           {0.9, []resource.Resource{cpu(0.3), disk(0.2)}, 0, FindLock, "load.users", "same"},
		"a busy machine":   {0.9, []resource.Resource{cpu(0.96), disk(0.2)}, 0, HalveCPU, "engine.cpu", "worse"},
		"a slow disk":      {0.9, []resource.Resource{cpu(0.3), disk(0.96)}, 0, FasterMedium, "", "better"},
		"a neighbour":      {0.9, []resource.Resource{neighbour, disk(0.2)}, 0, StopNeighbours, "", "better"},
		"nothing measured": {0.9, nil, 0, Observe, "", "better"},
		"an assumed width": {0.9, []resource.Resource{uncertain, cpu(0.3)}, 0, MeasureWidth, "", "better"},
		"the first rung":   {0.9, []resource.Resource{cpu(0.3), disk(0.2)}, 8, StartLower, "", "better"},
	} {
		v := &model.Variant{Name: "a", LoadLine: loadline.LoadLine{Next: c.next}, Rungs: []rung.Rung{
			{Instances: 1, Repetitions: 1, Mean: stats.Exactly(0.1), Efficiency: 1},
			{Instances: 8, Repetitions: 1, Mean: stats.Exactly(c.mean), Efficiency: 0.9, Resources: c.resources},
		}}
		s := &setup.Subject{Evidence: &trust.Evidence{Study: &study.Study{Application: study.Application{Load: study.Load{Users: 4}}}, Run: &result.Run{}}}
		e, ok := For(s, v, &v.Rungs[1])
		if !ok || e.Kind != c.want || e.Path != c.path || e.Expect != c.expect {
			t.Errorf("%s: kind %d of %q, expecting %q (%v); want kind %d of %q, expecting %q", name, e.Kind, e.Path, e.Expect, ok, c.want, c.path, c.expect)
		}
	}
}

// Where storage servers share the machine, an instance has used what its servers used, not
// the rest of the machine.
func TestInstancesUseWhatTheirServersDo(t *testing.T) {
	machine := resource.Resource{Name: "CPU", Kind: resource.CPU, Utilisation: 0.96, Servers: 8}
	role := resource.Resource{Name: "db", Kind: resource.Role, Role: "db", Utilisation: 0.25, Servers: 8}
	s := &setup.Subject{Evidence: &trust.Evidence{Study: &study.Study{}, Run: &result.Run{}}}
	for _, c := range []struct {
		of        string
		resources []resource.Resource
		want      float64
	}{
		{"", []resource.Resource{machine, role}, 0.5},
		{"", []resource.Resource{machine}, 1.92},
		{study.OfUsers, []resource.Resource{machine, role}, 2}, // one instance, whoever its users are
		{study.OfUsers, []resource.Resource{machine}, 7.68},
	} {
		s.Study.Ladder.Of = c.of
		r := &rung.Rung{Instances: 4, Resources: c.resources}
		if _, each, _ := mostCPU(s, &model.Variant{Name: "a"}, r, machine); each != c.want {
			t.Errorf("ladder of %q: each used %v cores, want %v", c.of, each, c.want)
		}
	}
}

// Accelerators that mostly compute gain little from storage that is twice as fast; doubling
// the accelerators gains the full factor. Predictions are in proportion.
func TestExperimentsOnUsersWhoCompute(t *testing.T) {
	disk := resource.Resource{Name: "disk sdb", Kind: resource.Device, Utilisation: 0.99, Servers: 1, AtRate: describe.Reads}
	for _, c := range []struct {
		idle       float64
		rate       string // that the hint is of
		rung       int
		throughput float64
		line       float64
	}{{0.143, describe.Reads, 22, 600, 41}, {0.6, describe.Reads, 11, 600, 19}, {0.143, "", 22, 0, 41}} {
		v := &model.Variant{Name: "a", Factors: map[string]string{"storage": "ssd"}, LoadLine: loadline.LoadLine{Rung: 10, Next: 11}, Rungs: []rung.Rung{
			{Instances: 10, Repetitions: 1, Mean: stats.Exactly(0.33), Efficiency: 1},
			{Instances: 11, Repetitions: 1, Mean: stats.Exactly(0.37), Efficiency: 0.95, Throughput: stats.Exactly(300), Resources: []resource.Resource{disk},
				Objectives: []rung.ObjectiveResult{{Metric: study.Idle, Value: c.idle, Limit: 0.1}}},
		}}
		hints := []describe.Hint{{Resource: "device", Rate: describe.Writes, Parameter: "write_rate"}, {Resource: "device", Rate: c.rate, Parameter: "p", From: "1", To: "2"}}
		s := &setup.Subject{Evidence: &trust.Evidence{Study: &study.Study{}, Run: &result.Run{Trials: []*result.Trial{{Variant: study.Variant{Name: "a"}, Storages: result.OnlyStorage(study.Variant{}, describe.Storage{Hints: hints})}}}}}
		e, ok := For(s, v, &v.Rungs[1])
		if !ok || e.Kind != FasterMedium || e.Path != "storage.ssd.p" || len(e.Rungs) != 1 || e.Rungs[0] != c.rung || e.Throughput.Value != c.throughput || e.Forecast.Line != c.line {
			t.Errorf("%+v: %+v", c, e)
		}
	}
}
