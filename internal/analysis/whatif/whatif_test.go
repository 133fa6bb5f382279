package whatif_test

import (
	"math"
	"testing"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/queueing"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/analysis/whatif"
)

// A ladder with two stations and a delay: what is predicted is what the network with the changed
// station has.
func TestPredictionsAreTheChangedNetworks(t *testing.T) {
	made := analysistest.Timed{
		At: 1, Busy: 0.92, Rungs: []int{1, 2, 3, 4}, Repetitions: 2,
		Stations: []analysistest.TimedStation{
			{Demand: 0.004, Servers: 8, Inside: "running", Waiting: "cpu_wait", CPU: true},
			{Inside: "device_wait", Waiting: "device_wait", Device: "vda"},
		},
	}
	e := trust.Sift(made.Run(1))
	var rungs []rung.Rung
	groups := trial.ByRung(e.Run.Trials)
	steps := []timeprofile.Step{}
	for _, g := range groups {
		rungs = append(rungs, rung.Measure(e, g))
		steps = append(steps, timeprofile.Step{Instances: g.Instances, Breakdown: rungs[len(rungs)-1].Time})
	}
	r := loadline.Limiting(rungs, loadline.LoadLine{Rung: 3, Next: 4})
	load := whatif.Load{Users: 4 * analysistest.Users, Think: analysistest.ThinkTime.Seconds()}
	all := whatif.Predict(e, groups[3].Passed, r, timeprofile.Attribute(steps, 3, 4), load)
	if len(all) != 2 || all[0].Factor != 2 || all[1].Factor != 4 {
		t.Fatalf("%+v", all)
	}
	for _, p := range all {
		n := queueing.Network{Think: load.Think, Stations: []queueing.Station{{Demand: 0.004, Servers: 8}, {Demand: made.Demand() / float64(p.Factor), Servers: 1}}}
		solved, err := n.Solve(load.Users)
		if err != nil {
			t.Fatal(err)
		}
		want := solved[load.Users-1]
		if math.Abs(p.Response.Value/want.Response-1) > 0.02 || math.Abs(p.Throughput.Value/want.Throughput-1) > 0.02 || p.At != 4 {
			t.Errorf("%+v, want %v s and %v a second", p, want.Response, want.Throughput)
		}
	}
	if none := whatif.Predict(e, groups[3].Passed, r, timeprofile.Attribute(steps, 3, 4), whatif.Load{Users: 1}); none != nil {
		t.Errorf("users who are not those that were measured: %+v", none)
	}
	if none := whatif.Predict(e, groups[3].Passed, r, nil, load); none != nil {
		t.Errorf("without a cause: %+v", none)
	}
}
