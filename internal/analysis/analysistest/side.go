package analysistest

import "plimsoll/internal/result"

// Side is one side of a comparison of two runs of the same truth, but for Factor.
type Side struct {
	Rungs       []int
	Repetitions int
	Noise       float64 // of throughput and of response time, each on its own
	// Factor scales the throughput at the rung At, or at all of them where that
	// is 0. 0 leaves it as it is.
	Factor float64
	At     int
}

// FiveRungs and OneRung are the ladders on which rates of comparisons are counted.
var (
	FiveRungs = []int{1, 2, 4, 8, 16}
	OneRung   = []int{8}
)

// Run makes the run of a seed; both sides of a comparison need seeds of their own.
func (s Side) Run(seed uint64) *result.Run {
	throughput := Power(1200, 0.9)
	if s.Factor > 0 {
		throughput = throughput.Times(s.Factor, s.At)
	}
	return Set{
		Variants: []Variant{{Name: "a", Response: MM1(0.05, 40), Throughput: throughput}},
		Rungs:    s.Rungs, Repetitions: s.Repetitions, Noise: Noise{Throughput: s.Noise, Response: s.Noise},
	}.Run(seed)
}
