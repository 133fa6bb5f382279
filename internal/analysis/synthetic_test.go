package analysis

import (
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// sample is an analysistest.Sample, short enough for tables.
type sample struct {
	variant string
	rung    int
	opm     float64
	mean    float64 // s; the histogram holds this value only
	failed  bool
	change  func(*result.Trial)
}

func madeUp(objectives []study.Objective, samples ...sample) *result.Run {
	all := make([]analysistest.Sample, len(samples))
	for i, m := range samples {
		all[i] = analysistest.Sample{Variant: m.variant, Rung: m.rung, OPM: m.opm, Mean: m.mean, Failed: m.failed, Change: m.change}
	}
	return analysistest.MadeUp(objectives, all...)
}

var fiveRungs = []int{1, 2, 4, 8, 16}

// usual is the noise that most of these tests have: 2 % of throughput and 4 %
// of response time between repetitions.
var usual = analysistest.Noise{Throughput: 0.02, Response: 0.04}

func orders(n, mean float64) result.OperationSummary { return analysistest.Alike(n, mean) }

func meanBelow(limit float64) []study.Objective { return analysistest.MeanBelow(limit) }
