package model

import (
	"testing"

	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// A verdict rests on the trials at the load line and at the rung above it, of that variant alone.
func TestTrialsThatDecide(t *testing.T) {
	a := &Analysis{Variants: []Variant{
		{Name: "ssd", LoadLine: loadline.LoadLine{Rung: 4, Next: 8}},
		{Name: "hdd", LoadLine: loadline.LoadLine{Rung: 2, Next: 4}},
	}}
	for _, c := range []struct {
		variant string
		rung    int
		decides bool
	}{
		{"ssd", 4, true}, {"ssd", 8, true}, {"ssd", 2, false}, {"ssd", 16, false},
		{"hdd", 2, true}, {"hdd", 4, true}, {"hdd", 8, false}, {"nvme", 4, false},
	} {
		if got := a.Decides(TrialInfo{Variant: c.variant, Rung: c.rung}); got != c.decides {
			t.Errorf("%s at %d: %v", c.variant, c.rung, got)
		}
	}
}

// A counterpart's rung is shared where a figure of both is compared, and scaled where their counts
// differ.
func TestReferenceResults(t *testing.T) {
	change := stats.Exactly(-0.1)
	both := CounterpartRung{Instances: 4, Metrics: map[string]ReferenceFigure{"throughput": {Change: &change}, "p95": {}}}
	theirs := CounterpartRung{Instances: 8, Theirs: 6, Metrics: map[string]ReferenceFigure{"mean": {}}}
	if !both.Shared() || theirs.Shared() || (CounterpartRung{}).Shared() {
		t.Errorf("shared: %v and %v", both.Shared(), theirs.Shared())
	}
	r := &ReferenceResult{Counterparts: []Counterpart{{Rungs: []CounterpartRung{both}}, {Rungs: []CounterpartRung{theirs}}}}
	for metric, want := range map[string]bool{"throughput": true, "p95": true, "mean": true, "p99": false} {
		if r.Knows(metric) != want {
			t.Errorf("%s is known: %v", metric, !want)
		}
	}
	if !r.Scaled() || (&ReferenceResult{Counterparts: r.Counterparts[:1]}).Scaled() {
		t.Error("a result is scaled where one of its rungs is")
	}
}

// A level is a number or a size above zero; anything else is a name.
func TestLevelValue(t *testing.T) {
	for text, want := range map[string]struct {
		value     float64
		bytes, ok bool
	}{
		"16": {16, false, true}, "0.5": {0.5, false, true}, "32KB": {32e3, true, true}, "4KiB": {4096, true, true},
		"0": {0, false, false}, "-1": {-1, false, false}, "0KB": {0, true, false}, "NaN": {0, false, false}, "inf": {0, false, false}, "read": {}, "": {},
	} {
		value, bytes, ok := LevelValue(text)
		if ok != want.ok || ok && (value != want.value || bytes != want.bytes) {
			t.Errorf("%q: %v, %v, %v", text, value, bytes, ok)
		}
	}
}

// A parameter is that of the matrix where it varies there, or else the workload's; a figure is one
// that is a size or a number.
func TestParameters(t *testing.T) {
	v := &Variant{
		Factors: map[string]string{"workload.parameters.size": "8MiB", "storage": "ssd"},
		Parameters: struct {
			Size    string `json:"size"`
			Mode    string `json:"mode"`
			Workers int    `json:"workers"`
		}{"1MiB", "direct", 4},
	}
	for name, want := range map[string][2]string{
		"size": {"8MiB", "8MiB"}, "mode": {"direct", ""}, "workers": {"", "4"}, "storage": {}, "": {},
	} {
		if parameter, figure := v.Parameter(name), v.Figure(name); parameter != want[0] || figure != want[1] {
			t.Errorf("%q: parameter %q, figure %q", name, parameter, figure)
		}
	}
	for path, want := range map[string]string{"workload.parameters.size": "size", "workload.parameters.": "", "load.users": "", "parameters.size": ""} {
		if got := ParameterOf(path); got != want {
			t.Errorf("%s varies %q", path, got)
		}
	}
	if got := ParametersOf(func() {}); got != nil {
		t.Errorf("a function has the parameters %v", got)
	}
}

// The payload is the throughput where that counts bytes, or else what the rung has of it.
func TestPayload(t *testing.T) {
	r := &rung.Rung{Throughput: stats.Exactly(200), Payload: stats.Exactly(7)}
	counted := &Variant{Work: describe.Profile{Unit: describe.Unit{Seconds: 1, Bytes: true}}}
	gigabits := &Variant{Work: describe.Profile{Unit: describe.Unit{Seconds: 1, Bytes: true, Each: 125e6}}}
	units := &Variant{Work: describe.Profile{Unit: describe.Unit{Seconds: 60}}}
	for want, v := range map[float64]*Variant{200: counted, 25000: gigabits, 7: units} {
		if got := v.Payload(r); got != want {
			t.Errorf("%+v: %v MB/s, want %v", v.Work.Unit, got, want)
		}
	}
}

// What answers is throughput over a resource only where that is known of every variant.
func TestReplyIsDividedWhereAllAre(t *testing.T) {
	cell := func(per float64) ReplyCell {
		return ReplyCell{Value: stats.Exactly(100), Per: stats.Exactly(per), Unit: "OPM"}
	}
	for _, c := range []struct {
		reply   Reply
		divided bool
		figure  float64
		what    string
	}{
		{Reply{Per: "core", Groups: []ReplyGroup{{Cells: []ReplyCell{cell(25), cell(50)}}}}, true, 25, "OPM per core"},
		{Reply{Per: "core", Groups: []ReplyGroup{{Cells: []ReplyCell{cell(25)}}, {Cells: []ReplyCell{cell(0)}}}}, false, 100, "OPM"},
		{Reply{Groups: []ReplyGroup{{Cells: []ReplyCell{cell(25)}}}}, false, 100, "OPM"},
		{Reply{Per: "core", Metric: "p99", Groups: []ReplyGroup{{Cells: []ReplyCell{cell(25)}}}}, false, 100, "p99"},
		{Reply{Metric: study.CPU, Groups: []ReplyGroup{{Cells: []ReplyCell{cell(25)}}}}, false, 100, "CPU time per unit of work"},
	} {
		if got := c.reply.Figure(c.reply.Groups[0].Cells[0]).Value; c.reply.Divided() != c.divided || got != c.figure || c.reply.What() != c.what {
			t.Errorf("%+v: divided %v, figure %v, %s", c.reply, c.reply.Divided(), got, c.reply.What())
		}
	}
}

// Load lines answer questions of capacity and audits those of survival; throughput answers all
// others, by factor unless growth was asked for.
func TestKindsOfReplies(t *testing.T) {
	for kind, want := range map[study.Kind][2]bool{
		study.Capacity: {}, study.Survival: {}, study.Scaling: {true, false}, study.Comparison: {true, true}, study.Effect: {true, true}, study.OfRating: {true, true},
	} {
		r := &Reply{Kind: kind}
		if r.ByThroughput() != want[0] || r.ByFactor() != want[1] {
			t.Errorf("%s: by throughput %v, by factor %v", kind, r.ByThroughput(), r.ByFactor())
		}
	}
	var none *Reply
	if none.ByThroughput() || none.ByFactor() {
		t.Error("without a reply the load lines answer")
	}
}
