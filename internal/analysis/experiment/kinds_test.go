package experiment

import (
	"testing"

	"plimsoll/internal/analysis/interval"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trust"
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
			{Instances: 1, Repetitions: 1, Mean: interval.Exactly(0.1), Efficiency: 1},
			{Instances: 8, Repetitions: 1, Mean: interval.Exactly(c.mean), Efficiency: 0.9, Resources: c.resources},
		}}
		s := &setup.Subject{Evidence: &trust.Evidence{Study: &study.Study{Load: study.Load{Users: 4}}, Run: &result.Run{}}}
		e, ok := For(s, v, &v.Rungs[1])
		if !ok || e.Kind != c.want || e.Path != c.path || e.Expect != c.expect {
			t.Errorf("%s: kind %d of %q, expecting %q (%v); want kind %d of %q, expecting %q", name, e.Kind, e.Path, e.Expect, ok, c.want, c.path, c.expect)
		}
	}
}
