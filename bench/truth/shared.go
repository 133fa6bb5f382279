package main

import (
	"math/rand/v2"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
)

// disk is a made-up ladder with a disk that is full where the largest rung breaks.
type disk struct {
	what     string
	think    time.Duration
	response analysistest.Curve
	// uses is the disk's utilisation and the requests and bytes that it serves a second at a rung
	// that does X units of work a second.
	uses func(x float64, rung int, random *rand.Rand) (busy, requests float64)
	// before is its utilisation before the load; nil where that is not sampled.
	before func(random *rand.Rand) float64
	// owned is the share of its bytes that the trial's own processes are seen to move.
	owned  float64
	shared bool
}

// shared counts disks that something else uses, and those that only look like it.
func shared() table {
	return table{"Disks that something outside the trial uses", func(c *counter) [][]string {
		rows := [][]string{{"what is true", "said to be shared"}}
		for _, d := range disks() {
			says := func(seed uint64) bool {
				found := d.cause(seed)
				return found != nil && found.Kind == diagnose.Neighbour && found.ResourceKind == resource.Device
			}
			if d.shared {
				rows = append(rows, []string{d.what, percent(c.atLeast(leastFound, "shared: "+d.what, says))})
			} else {
				rows = append(rows, []string{d.what, percent(c.atMost(hardlyEver, "shared: "+d.what, says))})
			}
		}
		return rows
	}}
}

func disks() []disk {
	const think = 300 * time.Millisecond
	breaks := analysistest.Step(0.05, 0.6, 4)
	keeps := analysistest.Step(0.05, 0.25, 4) // the largest rung does more than those below
	always := func(_ float64, _ int, r *rand.Rand) (float64, float64) {
		return between(0.95, 1, r), between(390, 410, r)
	}
	own := func(x float64, _ int, r *rand.Rand) (float64, float64) {
		return min(between(0.96, 1, r), x/120*between(0.97, 1.03, r)), 4 * x * between(0.97, 1.03, r)
	}
	open := func(x float64, rung int, r *rand.Rand) (float64, float64) {
		busy := 0.55 + x/250
		if rung == 8 {
			busy = between(0.94, 1, r)
		}
		return busy, 220 + 1.6*x*between(0.95, 1.05, r)
	}
	high := func(r *rand.Rand) float64 { return between(0.93, 1, r) }
	half := func(r *rand.Rand) float64 { return between(0.5, 0.6, r) }
	idle := func(r *rand.Rand) float64 { return between(0, 0.05, r) }
	oneByOne := analysistest.Constant(0.02)
	return []disk{
		{"another tenant fills it, before the load, too", think, breaks, always, high, 0, true},
		{"… and nothing was sampled before the load", think, breaks, always, nil, 0, true},
		{"… and the largest rung does most", think, keeps, always, high, 0, true},
		{"another tenant takes half of it", think, keeps, open, half, 0, true},
		{"one instance fills it (closed loop without a pause)", 0, analysistest.Power(0.02, 1), always, idle, 0, false},
		{"… and nothing was sampled before the load", 0, analysistest.Power(0.02, 1), always, nil, 0, false},
		{"… and another tenant was there, which that does not show", 0, analysistest.Power(0.02, 1), always, high, 0, false},
		{"the load alone fills it", think, breaks, own, idle, 0, false},
		{"… after caches were written back, up to its start", think, breaks, own, high, 0, false},
		{"… after data were copied for it, half as fast as it can", think, breaks, own, half, 0, false},
		{"requests are served faster the more there are", 0, oneByOne, func(x float64, _ int, r *rand.Rand) (float64, float64) {
			return between(0.95, 1, r), 4 * x * between(0.97, 1.03, r)
		}, nil, 0, false},
		{"commits are made together the more there are", 0, oneByOne, always, idle, 0, false},
		{"… and nothing was sampled before the load", 0, oneByOne, always, nil, 0, false},
		{"… after caches were written back, and the instances are seen to write", 0, oneByOne, always, high, 0.9, false},
	}
}

// cause is what the analysis names of the largest rung.
func (d disk) cause(seed uint64) *diagnose.Cause {
	run := analysistest.Set{
		Rungs: []int{1, 2, 4, 8}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.2), Noise: analysistest.Noise{Throughput: 0.02, Response: 0.02},
		Variants: []analysistest.Variant{{Name: "v", Response: d.response, Throughput: func(n int) float64 {
			return float64(n*analysistest.Users) / (d.response(n) + d.think.Seconds()) * 60
		}}},
	}.Run(seed)
	random := rand.New(rand.NewPCG(seed, 0x5a7e))
	for _, t := range run.Trials {
		d.show(t, random)
	}
	var found *diagnose.Cause
	take := func(run *result.Run) {
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			return
		}
		for _, f := range a.Findings {
			if f.Kind == "bottleneck" {
				found = f.Cause
			}
		}
	}
	if d.before == nil {
		take(run)
		return found
	}
	series := func(t *result.Trial) []result.Series {
		all := analysistest.SeriesOf(t)
		for i := range all {
			if all[i].Kind == "device" && all[i].Metric == "utilisation" {
				all[i].Times = append([]int64{-3000, -2000, -1000}, all[i].Times...)
				all[i].Values = append([]float64{d.before(random), d.before(random), d.before(random)}, all[i].Values...)
			}
		}
		return all
	}
	if err := analysistest.InFiles(run, series, take); err != nil {
		panic(err) // no space for the files
	}
	return found
}

func (d disk) show(t *result.Trial, random *rand.Rand) {
	const blocks = 8192
	t.Variant.Engine.Name, t.Devices = "server", []describe.Device{{Name: "vda", Actuators: 1}}
	t.Variant.Load.ThinkTime = unit.Duration(d.think)
	x := float64(t.Whole().Count) / analysistest.Measure.Seconds()
	busy, requests := d.uses(x, t.Rung, random)
	analysistest.Sampled(t, "device", "vda", "utilisation", busy)
	analysistest.Sampled(t, "device", "vda", "queue", 2*busy)
	analysistest.Sampled(t, "device", "vda", "writes", requests)
	analysistest.Sampled(t, "device", "vda", "write_bytes", requests*blocks)
	usedCPU(t, 0.1, 0)
	if d.owned > 0 {
		analysistest.Sampled(t, "instance", "db-000", "write_bytes", d.owned*requests*blocks)
	}
}
