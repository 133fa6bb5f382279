package analysis

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Where work takes longer in bursts, what it waits for in them is named; else nothing is said of the
// tail.
func TestTheTailIsWhatBurstsWaitFor(t *testing.T) {
	const cpu, disk, lock, hidden = 0, 1, 2, 3
	made := analysistest.Bursty{
		Stations: []analysistest.TimedStation{
			{Demand: 0.004, Servers: 4, Inside: "running", Waiting: "cpu_wait", CPU: true},
			{Demand: 0.005, Inside: "device_wait", Waiting: "device_wait", Device: "vda"},
			{Demand: 0.005, Inside: "other_wait", Waiting: "lock_wait"},
			{Demand: 0.005},
		},
		Slow: disk, Other: disk, By: 3, Every: 25, Length: 5, Noise: 0.1, Repetitions: 2, Seconds: 120, Metric: "p95",
	}
	of := func(change func(*analysistest.Bursty)) analysistest.Bursty {
		changed := made
		change(&changed)
		return changed
	}
	for _, c := range []struct {
		name string
		of   analysistest.Bursty
		is   describe.Component
		says string
	}{
		{"a disk", made, describe.DeviceWait, "waiting for disk vda"},
		{"a lock", of(func(b *analysistest.Bursty) { b.Slow, b.Other = lock, lock }), describe.LockWait, "waiting for locks of db"},
		{"a lock, and a limit of p99", of(func(b *analysistest.Bursty) { b.Slow, b.Other, b.Metric = lock, lock, "p99" }), describe.LockWait, "of the orders above p99 ended in"},
		{"something that nothing shows", of(func(b *analysistest.Bursty) { b.Slow, b.Other = hidden, hidden }), "", ""},
		{"no bursts", of(func(b *analysistest.Bursty) { b.By = 1 }), "", ""},
		{"a limit of the mean", of(func(b *analysistest.Bursty) { b.Metric = "mean" }), "", ""},
		{"too few bursts", of(func(b *analysistest.Bursty) { b.Every, b.Repetitions = 100, 1 }), "", ""},
		{"bursts for most of the time", of(func(b *analysistest.Bursty) { b.Every, b.Length = 20, 16 }), "", ""},
		{"bursts shorter than telemetry can tell", of(func(b *analysistest.Bursty) { b.Every, b.Length = 5, 0.4 }), "", ""},
	} {
		run, series := c.of.Run(1)
		err := analysistest.InFiles(run, series, func(filed *result.Run) {
			a, err := Analyse(filed, Options{})
			if err != nil {
				t.Fatal(err)
			}
			found, text := a.Variants[0].Tail, ""
			for _, f := range a.Findings {
				if f.Kind == "bottleneck" {
					text = f.Text
				}
			}
			switch {
			case c.is == "" && (found != nil || strings.Contains(text, "of high response time")):
				t.Errorf("%s: %+v %s", c.name, found, text)
			case c.is == "":
			case found == nil || found.Causes != 1 || found.Growth[0].Component != c.is || found.Growth[0].Share.Confidence == 0 || found.Periods < 6:
				t.Errorf("%s: %+v", c.name, found)
			case !strings.Contains(text, " of high response time (") || !strings.Contains(text, c.says):
				t.Errorf("%s: %q is not said: %s", c.name, c.says, text)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
