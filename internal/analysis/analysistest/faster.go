package analysistest

import (
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// OfDisk is a ladder that a disk limits.
var OfDisk = Timed{
	At: 1, Busy: 0.92, Rungs: []int{3, 4}, Repetitions: 3, Noise: 0.01,
	Stations: []TimedStation{
		{Demand: 0.002, Servers: 8, Inside: "running", Waiting: "cpu_wait", CPU: true},
		{Inside: "device_wait", Waiting: "device_wait", Device: "vda"},
	},
}

// AtRate makes the run of such a ladder whose disk writes as fast as the study lets it: twice the rate, of
// 100 MB/s, is the next experiment. Given a path and a level, all trials have them as a factor.
func AtRate(l Timed, seed uint64, path, level string) *result.Run {
	const rate = 1e8
	run := l.Run(seed)
	for _, t := range run.Trials {
		t.Devices[0].WriteRate = rate
		for _, r := range t.Resources {
			if r.Kind == describe.DeviceKind && r.Metric == "utilisation" {
				Sampled(t, describe.DeviceKind, "vda", "write_bytes", r.Mean*rate)
			}
		}
		t.Storage().Hints = []describe.Hint{{Resource: "device", Rate: describe.Writes, Parameter: "write_rate", From: "100MB/s", To: "200MB/s"}}
		if path != "" {
			t.Variant.Factors = map[string]string{"storage": "v", path: level}
		}
	}
	return run
}

// Experiment makes the run of an experiment with a setting at two levels, given the ladder at each.
func Experiment(path, from, to string, before, after Timed) *result.Run {
	run, changed := AtRate(before, 2, path, from), AtRate(after, 3, path, to)
	run.ID = "experiment"
	for _, t := range changed.Trials {
		t.Variant.Name = "changed"
		t.ID = "changed" + strings.TrimPrefix(t.ID, "v")
		run.Trials = append(run.Trials, t)
	}
	run.Plan.Variants = append(run.Plan.Variants[:0:0], run.Trials[0].Variant, changed.Trials[0].Variant)
	return run
}
