package main

import (
	"fmt"
	"math/rand/v2"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/study"
)

// taken is what others take of the CPU of a made-up machine: code outside the kernel, and steal.
type taken struct {
	what        string
	user, steal float64
	kernel      float64 // CPU of the kernel that nothing accounts for
	own         bool    // the user code is the instances' own
	margin      float64 // of the verdict
	lowered     bool
}

// strangers counts runs that are graded better than C although others used more of the CPU than
// the verdict's margin, and those graded C for no reason.
func strangers() table {
	return table{"Others that use the CPU, beside the margin of the verdict", func(c *counter) [][]string {
		rows := [][]string{{"others use", "margin of the verdict", "capacity: C or worse", "effect: C or worse"}}
		for _, one := range takings() {
			row := []string{one.what, percent(one.margin)}
			for _, analysed := range []func(taken, uint64) *analysis.Analysis{ofLimit, ofEffect} {
				low := func(seed uint64) bool { a := analysed(one, seed); return a != nil && a.Grade >= "C" }
				what := fmt.Sprintf("C or worse: %s, margin %s", one.what, percent(one.margin))
				if one.lowered {
					row = append(row, percent(c.atLeast(leastFound, what, low)))
				} else {
					row = append(row, percent(c.atMost(hardlyEver, what, low)))
				}
			}
			rows = append(rows, row)
		}
		return rows
	}}
}

func takings() []taken {
	return []taken{
		{what: "nothing", margin: 0.02},
		{what: "2 %", user: 0.02, margin: 0.3},
		{what: "10 %", user: 0.1, margin: 0.3},
		{what: "10 %", user: 0.1, margin: 0.04, lowered: true},
		{what: "20 %", user: 0.2, margin: 0.12, lowered: true},
		{what: "2 % by other guests", steal: 0.02, margin: 0.3},
		{what: "8 % by other guests", steal: 0.08, margin: 0.04, lowered: true},
		{what: "5 % and 5 % by other guests", user: 0.05, steal: 0.05, margin: 0.06, lowered: true},
		{what: "nothing, and the kernel 10 %", kernel: 0.1, margin: 0.04},
		{what: "nothing, and the instances 10 % more", user: 0.1, own: true, margin: 0.04},
	}
}

// ofLimit is of a ladder whose largest rung breaks its objective by the margin.
func ofLimit(one taken, seed uint64) *analysis.Analysis {
	made := analysistest.Set{
		Rungs: []int{2, 8}, Repetitions: 3, Objectives: analysistest.MeanBelow(0.2), Noise: analysistest.Noise{Throughput: 0.002, Response: 0.002},
		Variants: []analysistest.Variant{{Name: "v", Response: analysistest.Step(0.05, 0.2/(1-one.margin), 4)}},
	}
	return one.analysed(made, study.Answer{}, seed)
}

// ofEffect is of two levels whose throughput differs by the margin.
func ofEffect(one taken, seed uint64) *analysis.Analysis {
	made := levels("engine.cpu", 1, 1/(1-one.margin))
	made.Repetitions, made.Noise = 3, analysistest.Noise{Throughput: 0.002, Response: 0.002}
	return one.analysed(made, study.Answer{Kind: study.Effect, Factor: "engine.cpu"}, seed)
}

func (one taken) analysed(made analysistest.Set, asks study.Answer, seed uint64) *analysis.Analysis {
	run := made.Run(seed)
	run.Machine.Cores = madeCores
	random := rand.New(rand.NewPCG(seed, 0x57a))
	for _, t := range run.Trials {
		own := between(0.2, 0.4, random)
		user := own + one.user
		if one.own {
			own = user
		}
		t.Variant.Engine.Name = "server"
		steal := one.steal * between(0.97, 1.03, random)
		analysistest.Sampled(t, "instance", "db-000", "cpu", own*madeCores)
		analysistest.Sampled(t, "cpu", "", "user", user)
		analysistest.Sampled(t, "cpu", "", "steal", steal)
		analysistest.Sampled(t, "cpu", "", "utilisation", user+one.kernel+steal)
	}
	return analysed(run, asks, seed)
}
