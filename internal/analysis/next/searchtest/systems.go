// Package searchtest makes up systems whose load line is known and searches for it.
package searchtest

import (
	"math"
	"math/rand/v2"

	"plimsoll/internal/analysis/next"
	"plimsoll/internal/analysis/queueing"
)

// System is one whose load line is known.
type System struct {
	Name string
	// Truth is the largest rung that meets the objective, To where every one does.
	Truth int
	To    int
	Load  next.Load
	// Fixed and Each are how long a trial takes in seconds, and for each count of its rung.
	Fixed, Each float64
	// at returns the noiseless measurement of a rung; Excess is relative to the limit.
	at func(n int) next.Rung
}

// A trial has 15 s of phases and 3 s of settling, and an instance takes 1.6 s to start,
// audit and remove, as plans estimate.
const (
	fixed = 18
	each  = 1.6
)

// network is a closed one with so much think time that its bottleneck is busy below the
// line; the limit is put where truth is the line.
func network(name string, truth, to int, measured bool, stations ...queueing.Station) System {
	const users = 4
	largest := 0.0
	for _, s := range stations {
		largest = max(largest, s.Demand/float64(s.Servers))
	}
	net := queueing.Network{Stations: stations, Think: largest * users * float64(truth) * 0.7}
	solved, err := net.Solve(users * (to + 1))
	if err != nil {
		panic(err)
	}
	limit := math.Sqrt(solved[users*truth-1].Response * solved[users*(truth+1)-1].Response)
	return System{name, truth, to, next.Load{Users: users, Think: net.Think}, fixed, each, func(n int) next.Rung {
		s := solved[users*n-1]
		r := next.Rung{Rung: n, Throughput: s.Throughput, Mean: s.Response, Excess: math.Log(s.Response / limit)}
		for i, u := range s.Utilisation {
			if measured {
				r.Stations = append(r.Stations, next.Station{Servers: float64(stations[i].Servers), Utilisation: u})
			}
		}
		return r
	}}
}

// retrograde has throughput by the scalability law, with a peak at the line: every unit of
// work takes more of the station the more users there are.
func retrograde(truth, to int) System {
	const users, think, unit = 4, 0.1, 0.01
	law := queueing.USL{Lambda: users / (think + unit), Sigma: 0.02, Kappa: 0.98 / (float64(truth) * float64(truth))}
	response := func(n float64) float64 { return max(unit, n*users/law.At(n)-think) }
	limit := math.Sqrt(response(float64(truth)) * response(float64(truth+1)))
	busy := law.At(float64(truth)) * 1.05
	return System{"contention, retrograde", truth, to, next.Load{Users: users, Think: think}, fixed, each, func(n int) next.Rung {
		x, r := law.At(float64(n)), response(float64(n))
		return next.Rung{
			Rung: n, Throughput: x, Mean: r, Excess: math.Log(r / limit),
			Stations: []next.Station{{Servers: 1, Utilisation: min(1, x/busy)}},
		}
	}}
}

// step keeps well within the limit up to the line and breaks it far beyond.
func step(truth, to int) System {
	return System{"a step, as of memory that ends", truth, to, next.Load{Users: 4, Think: 0.1}, fixed, each, func(n int) next.Rung {
		r := next.Rung{Rung: n, Throughput: 36 * float64(n), Mean: 0.01, Excess: -1.5}
		if n > truth {
			r.Throughput, r.Mean, r.Excess = r.Throughput/4, 0.3, 1.5
		}
		return r
	}}
}

// opened has work that arrives at its own rate at one station.
func opened(truth, to int) System {
	growth := func(n int) float64 { return 1 / (1 - min(float64(n)*0.85/(float64(truth)+0.5), 0.99999)) }
	limit := math.Sqrt(growth(truth) * growth(truth+1))
	return System{"work that arrives at its own rate", truth, to, next.Load{Users: 1, Open: true}, fixed, each, func(n int) next.Rung {
		return next.Rung{
			Rung: n, Throughput: 10 * float64(n), Mean: 0.01 * growth(n), Excess: math.Log(growth(n) / limit),
			Stations: []next.Station{{Servers: 1, Utilisation: min(1, float64(n)*0.85/(float64(truth)+0.5))}},
		}
	}}
}

// always keeps the objective at every rung, never at none.
func always(to int) System {
	s := network("the objective is never missed", to, to, true, queueing.Station{Demand: 0.001, Servers: 1})
	return within(s, math.Log(3), to)
}

func never(to int) System {
	s := network("the objective is missed at rung 1", 1, to, true, queueing.Station{Demand: 0.001, Servers: 1})
	return within(s, -math.Log(3), 0)
}

// within moves the limit.
func within(s System, by float64, truth int) System {
	at := s.at
	s.Truth, s.at = truth, func(n int) next.Rung {
		r := at(n)
		r.Excess -= by
		return r
	}
	return s
}

// Lines are the load lines of the systems.
var Lines = []int{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 500}

// Kinds are systems of every kind, by kind with lines from 1 to 500.
func Kinds() [][]System {
	one := queueing.Station{Demand: 0.005, Servers: 1}
	four := queueing.Station{Demand: 0.012, Servers: 4}
	kinds := make([][]System, 6)
	for _, line := range Lines {
		to := 1024
		kinds[0] = append(kinds[0], network("one bottleneck", line, to, true, one))
		kinds[1] = append(kinds[1], network("two stations, one of four servers", line, to, true, one, four))
		kinds[2] = append(kinds[2], network("a bottleneck that is not measured", line, to, false, one))
		kinds[3] = append(kinds[3], retrograde(line, to))
		kinds[4] = append(kinds[4], opened(line, to))
		kinds[5] = append(kinds[5], step(line, to))
	}
	return append(kinds, []System{always(128), always(500)}, []System{never(128)})
}

// Shipped are systems for a ladder from one rung to another: one bottleneck with lines over
// the whole ladder, and an objective that is never missed.
func Shipped(from, to int) []System {
	all := []System{always(to)}
	for line := from; line < to; line += max(1, (to-from)/8) {
		all = append(all, network("one bottleneck", line, to, true, queueing.Station{Demand: 0.005, Servers: 1}))
	}
	return all
}

// Search is a rule that decides which rung is measured next.
type Search func(q next.Query, asked []next.Rung) next.Step

// Result is the result of a search.
type Result struct {
	Low, High int // the bracket; High is 0 where no rung broke the objective
	Trials    int
	Seconds   float64
	// Asked is how often each rung was measured.
	Asked map[int]int
}

// Right reports whether the bracket holds the truth.
func (f Result) Right(s System) bool {
	return f.Low <= s.Truth && (s.Truth < f.High || f.High == 0 && f.Low == s.To)
}

// Width of the bracket, or of the whole ladder if the bracket is open though the search
// ended early.
func (f Result) Width(s System) int {
	if f.High > 0 {
		return f.High - f.Low
	}
	return s.To - f.Low
}

// Run searches a system, with noise as the relative standard deviation of a trial's
// metric.
func Run(s System, q next.Query, search Search, noise float64, random *rand.Rand) Result {
	q.To, q.Load = s.To, s.Load
	f := Result{Asked: map[int]int{}}
	var asked []next.Rung
	excess := map[int][]float64{}
	for f.Trials < 1000 {
		step := search(q, asked)
		if step.Done {
			break
		}
		r := s.at(step.Rung)
		x := math.Exp(noise * random.NormFloat64())
		r.Mean, r.Excess = r.Mean*x, r.Excess+math.Log(x)
		r.Throughput *= math.Exp(noise / 2 * random.NormFloat64())
		excess[r.Rung] = append(excess[r.Rung], r.Excess)
		asked = merge(asked, r, excess[r.Rung])
		f.Trials, f.Seconds, f.Asked[r.Rung] = f.Trials+1, f.Seconds+s.Fixed+s.Each*float64(step.Rung), f.Asked[r.Rung]+1
	}
	low, high := next.Bracket(asked)
	if low != nil {
		f.Low = low.Rung
	}
	if high != nil {
		f.High = high.Rung
	}
	return f
}

// merge adds a trial to the rungs.
func merge(asked []next.Rung, r next.Rung, excess []float64) []next.Rung {
	mean, squares := 0.0, 0.0
	for _, e := range excess {
		mean += e / float64(len(excess))
	}
	for _, e := range excess {
		squares += (e - mean) * (e - mean)
	}
	r.Trials, r.Excess, r.Squares, r.Met = len(excess), mean, squares, mean <= 0
	for i := range asked {
		if asked[i].Rung == r.Rung {
			asked[i] = r
			return asked
		}
	}
	return append(asked, r)
}
