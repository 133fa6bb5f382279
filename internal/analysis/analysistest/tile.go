package analysistest

import (
	"fmt"
	"math"

	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// Tile makes a run of a study with members, of one variant "a" with a trial at each rung.
// mean is the mean response time of a member in so many tiles, in seconds.
func Tile(ladder study.Ladder, rungs []int, mean func(member string, tiles int) float64, members ...study.Member) *result.Run {
	s := &study.Study{Name: "made-up", Ladder: ladder, Members: members, Repetitions: 1}
	v := study.Variant{Name: "a", Factors: map[string]string{"storage": "a"}, Members: members}
	run := &result.Run{ID: "made-up", Plan: &plan.Plan{Study: s, Variants: []study.Variant{v}}, Machine: &result.Machine{Cores: 8, MemoryBytes: 64 << 30}}
	for _, rung := range rungs {
		var own []result.Member
		for _, m := range members {
			one := Sample{Variant: "a", Rung: rung, OPM: float64(100 * rung * m.Weight), Mean: mean(m.Name, rung)}.Trial(1)
			own = append(own, result.Member{Name: m.Name, Part: one.Part})
		}
		addTile(run, rung, 1, "", own...)
	}
	return run
}

// Tenant is a member of made-up tiles, fully specified.
type Tenant struct {
	study.Member
	OPM, Mean float64 // orders a minute of the one tile, and their mean response time, s
	Alone     float64 // mean response time without the other members, s; 0 where it is not measured
	// Grows is by which power of the number of tiles the response time grows, and Falls by
	// which the throughput of each tile falls.
	Grows, Falls float64
	Worst        int // the tile, from 1, whose orders take WorstBy times as long; 0 for none
	WorstBy      float64
}

// At is the true mean response time in so many tiles, in seconds.
func (o Tenant) At(tiles int) float64 { return o.Mean * math.Pow(float64(tiles), o.Grows) }

// Does is the true throughput of each of so many tiles, in orders a minute.
func (o Tenant) Does(tiles int) float64 { return o.OPM * math.Pow(float64(tiles), -o.Falls) }

// Tenants makes a run of tiles of them, repeated with a noise of each member's own.
func Tenants(rungs []int, repetitions int, n Noise, seed uint64, all ...Tenant) *result.Run {
	var members []study.Member
	var noises []*noise
	for i, o := range all {
		members = append(members, o.Member)
		noises = append(noises, newNoise(n, seed*31+uint64(i)))
	}
	run := Tile(study.Ladder{Rungs: rungs}, nil, nil, members...)
	run.Plan.Study.Repetitions = repetitions
	for i, o := range all {
		for repetition := 1; o.Alone > 0 && repetition <= repetitions; repetition++ {
			o.Mean = o.Alone
			addTile(run, 1, repetition, o.Name, o.member(1, repetition, noises[i].next(0)))
		}
	}
	for at, rung := range rungs {
		for repetition := 1; repetition <= repetitions; repetition++ {
			var own []result.Member
			for i, o := range all {
				own = append(own, o.member(rung, repetition, noises[i].next(at)))
			}
			addTile(run, rung, repetition, "", own...)
		}
	}
	return run
}

// addTile adds a trial of so many tiles to a run, with its members' results; alone is the only
// member.
func addTile(run *result.Run, rung, repetition int, alone string, members ...result.Member) {
	whole := *Sample{Variant: "a", Rung: rung, OPM: 1, Mean: 1}.Trial(repetition)
	whole.Variant, whole.Position, whole.Alone, whole.Part = run.Plan.Variants[0], len(run.Plan.Trials)+1, alone, result.Part{}
	if alone != "" {
		whole.ID = fmt.Sprintf("a/alone-%s/%d", alone, repetition)
	}
	run.Trials = append(run.Trials, (&result.Tile{Trial: whole, Members: members}).Trials()...)
	run.Plan.Trials = append(run.Plan.Trials, plan.Trial{Position: whole.Position, ID: whole.ID, Variant: "a", Rung: rung, Alone: alone, Repetition: repetition})
}

// member is the tenant's part of a trial.
func (o Tenant) member(tiles, repetition int, off draw) result.Member {
	mean, opm := o.At(tiles)*off.response, o.Does(tiles)*off.throughput
	t := Sample{Variant: "a", Rung: tiles * o.Weight, OPM: opm * float64(tiles), Mean: mean}.Trial(repetition)
	for i := range tiles * o.Weight {
		each := mean
		if o.Worst > 0 && i/o.Weight+1 == o.Worst {
			each *= o.WorstBy
		}
		t.Instances = append(t.Instances, result.InstanceSummary{
			Instance: i, Count: int64(opm * 2 / float64(o.Weight)), Mean: each, P95: each, P99: each, Deviation: each / 2, Max: each,
		})
	}
	return result.Member{Name: o.Name, Part: t.Part}
}
