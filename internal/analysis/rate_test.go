package analysis

import (
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// keeping is a made-up trial of streams that each offer 10 operations a second for two
// minutes, with the given share done.
func keeping(streams int, share float64) analysistest.Sample {
	offered := float64(streams) * 10 * 120
	return analysistest.Sample{Variant: "pool", Rung: streams, OPM: offered * share / 2, Mean: 0.01, Change: func(t *result.Trial) {
		o := t.Operations["order"]
		o.Offered, o.Bytes = int64(offered), o.Count*500_000
		t.OpenLoop, t.Operations["order"] = true, o
	}}
}

// The largest number of streams whose rate is kept is the load line, whatever the
// response times of what was done.
func TestObjectiveOnTheRateKept(t *testing.T) {
	kept, err := study.ParseObjective("rate >= 99%")
	if err != nil {
		t.Fatal(err)
	}
	latency := study.Objective{Metric: "p95", Limit: 0.1, Text: "p95 <= 100ms"}
	a := analyse(t, analysistest.MadeUp([]study.Objective{latency, kept},
		keeping(100, 1), keeping(100, 0.999), keeping(200, 0.995), keeping(200, 0.996), keeping(400, 0.951), keeping(400, 0.949)))
	v := a.Variants[0]
	if v.LoadLine.Rung != 200 || v.LoadLine.Next != 400 || v.LoadLine.Broken != "rate >= 99%" {
		t.Errorf("%+v", v.LoadLine)
	}
	for i, want := range []float64{0.0005, 0.0045, 0.05} {
		o := v.Rungs[i].Objectives[1]
		if o.Unknown || o.Metric != study.Undone || o.Value < want-1e-4 || o.Value > want+1e-4 || v.Rungs[i].Breaks != "" {
			t.Errorf("at %d: %+v, breaks %q; want %v undone", v.Rungs[i].Instances, o, v.Rungs[i].Breaks, want)
		}
	}
}

// A closed loop offers no rate: the objective is unknown, not kept.
func TestRateOfAClosedLoopIsUnknown(t *testing.T) {
	kept := study.Objective{Metric: study.Undone, Limit: 0.01, Text: "rate >= 99%"}
	run := analysistest.MadeUp([]study.Objective{kept}, analysistest.Sample{Variant: "pool", Rung: 1, OPM: 60, Mean: 0.01})
	if o := analyse(t, run).Variants[0].Rungs[0].Objectives[0]; !o.Unknown || o.Kept {
		t.Errorf("%+v", o)
	}
}

// Work that moves bytes and is counted in something else has a second throughput.
func TestPayloadIsTheSecondThroughput(t *testing.T) {
	r := analyse(t, analysistest.MadeUp(nil, keeping(100, 1))).Variants[0].Rungs[0]
	if r.Payload.Value != 500 || r.Throughput.Value != 60_000 {
		t.Errorf("%v OPM and %v MB/s, want 60000 and 500", r.Throughput.Value, r.Payload.Value)
	}
	bytes := keeping(100, 1)
	count := bytes.Change
	bytes.Change = func(t *result.Trial) { count(t); t.Profile.Unit.Bytes = true }
	if r := analyse(t, analysistest.MadeUp(nil, bytes)).Variants[0].Rungs[0]; r.Payload != (stats.Interval{}) {
		t.Errorf("throughput counts bytes already, and payload is %+v", r.Payload)
	}
}
