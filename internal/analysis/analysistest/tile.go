package analysistest

import (
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// Tile makes a run of a study with members, of one variant "a" with a trial at each rung.
// mean is the mean response time of a member in so many tiles, in seconds.
func Tile(ladder study.Ladder, rungs []int, mean func(member string, tiles int) float64, members ...study.Member) *result.Run {
	s := &study.Study{Name: "made-up", Ladder: ladder, Members: members, Repetitions: 1}
	v := study.Variant{Name: "a", Factors: map[string]string{"storage": "a"}, Members: members}
	run := &result.Run{ID: "made-up", Plan: &plan.Plan{Study: s, Variants: []study.Variant{v}}, Machine: &result.Machine{Cores: 8, MemoryBytes: 64 << 30}}
	for n, rung := range rungs {
		whole := Sample{Variant: "a", Rung: rung, OPM: 100, Mean: 1}.Trial(1)
		whole.Variant, whole.Position = v, n+1
		for _, m := range members {
			one := Sample{Variant: "a", Rung: rung, OPM: float64(100 * rung * m.Weight), Mean: mean(m.Name, rung)}.Trial(1)
			whole.Members = append(whole.Members, result.MemberOf(m.Name, one))
		}
		whole.Operations, whole.Instances, whole.Drivers, whole.Audit = nil, nil, nil, nil
		run.Trials = append(run.Trials, whole)
		run.Plan.Trials = append(run.Plan.Trials, plan.Trial{Position: n + 1, ID: whole.ID, Variant: "a", Rung: rung, Repetition: 1})
	}
	return run
}
