package resource_test

import (
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// ladder is the rungs 1, 2, 4 and 8 of users who think, on a machine with samples for each.
func ladder(think time.Duration, perMinute func(n int) float64, show func(t *result.Trial)) []resource.Rung {
	var samples []analysistest.Sample
	for _, n := range []int{1, 2, 4, 8} {
		samples = append(samples, analysistest.Sample{Variant: "v", Rung: n, OPM: perMinute(n), Mean: 0.05, Change: func(t *result.Trial) {
			t.Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(think)}
			t.Devices = []describe.Device{{Name: "vda", Actuators: 1}}
			show(t)
		}})
	}
	e := trust.Sift(analysistest.MadeUp(analysistest.MeanBelow(1), samples...))
	var all []resource.Rung
	for _, g := range trial.ByRung(e.Run.Trials) {
		r := rung.Measure(e, g)
		all = append(all, resource.Rung{Resources: r.Resources, UnitsPerSecond: r.UnitsPerSecond, Passed: g.Passed})
	}
	for i, resources := range resource.WithoutOthers(e, all) {
		all[i].Resources = resources
	}
	return all
}

const think = 300 * time.Millisecond

func grows(n int) float64 { return float64(n) * 8 / 0.35 * 60 }

// disk shows a disk with the given utilisation and number of requests, some of them the
// trial's own.
func disk(busy, requests func(n int) float64, own float64) func(*result.Trial) {
	return func(t *result.Trial) {
		analysistest.Sampled(t, "device", "vda", "utilisation", busy(t.Rung))
		analysistest.Sampled(t, "device", "vda", "queue", 2*busy(t.Rung))
		analysistest.Sampled(t, "device", "vda", "reads", requests(t.Rung))
		analysistest.Sampled(t, "device", "vda", "read_bytes", 4096*requests(t.Rung))
		analysistest.Sampled(t, "instance", "db-000", "read_bytes", 4096*own*requests(t.Rung))
	}
}

func TestWhatDoesNotComeWithTheLoadIsOthers(t *testing.T) {
	same := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	each := func(v float64) func(int) float64 { return func(n int) float64 { return v * float64(n) } }
	link := func(t *result.Trial) { analysistest.Sampled(t, "network", "eth0", "utilisation", 0.97) }
	for name, c := range map[string]struct {
		think     time.Duration
		perMinute func(int) float64
		show      func(*result.Trial)
		kind      resource.Kind
		shared    bool
	}{
		"a disk full of another tenant":     {think, grows, disk(same(0.98), same(400), 0), resource.Device, true},
		"a link full of another tenant":     {think, grows, link, resource.Network, true},
		"users who never pause":             {0, grows, disk(same(0.98), same(400), 0), resource.Device, false},
		"the same work at every rung":       {think, same(1400), disk(same(0.98), same(400), 0), resource.Device, false},
		"requests that come with the load":  {think, grows, disk(same(0.98), each(400), 0), resource.Device, false},
		"a disk that fills with the load":   {think, grows, disk(each(0.12), each(400), 0), resource.Device, false},
		"a disk whose bytes are our own":    {think, grows, disk(same(0.98), same(400), 0.9), resource.Device, false},
		"a disk of which nothing was moved": {think, grows, disk(same(0.98), same(0), 0), resource.Device, false},
		"a disk that is hardly used":        {think, grows, disk(same(0.2), same(40), 0), resource.Device, false},
	} {
		t.Run(name, func(t *testing.T) {
			all := ladder(c.think, c.perMinute, c.show)
			last := resource.First(all[3].Resources, c.kind)
			if last == nil || (last.Other > 0) != c.shared {
				t.Fatalf("%+v", last)
			}
			if !c.shared {
				return
			}
			if last.Other < 0.8 || last.Other > 0.9 || last.Limits() || resource.Shared(all[3].Resources) == nil {
				t.Errorf("others have 7/8 of it at the smallest rung: %+v", last)
			}
			if want := (last.Utilisation - last.Other) / all[3].UnitsPerSecond; last.Demand > want*1.01 || last.Demand < want*0.99 {
				t.Errorf("demand %v, want %v", last.Demand, want)
			}
		})
	}
}
