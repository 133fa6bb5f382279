package main

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/study"
)

// stalled is a made-up closed loop that stands still once, with an objective on a percentile.
type stalled struct {
	called  string
	metric  string  // empty is p95
	without float64 // the metric without the stall, of the limit
	share   float64 // of the phase that is lost at least, up to three times as much
	slow    float64 // how many times as long work takes after the stall, for half as long
}

// analysed is the analysis of a made-up trial; nil where it could not be made.
func (s stalled) analysed(seed uint64) *analysis.Analysis {
	dir, err := os.MkdirTemp("", "plimsoll-truth-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(seed, 7))
	seconds := 40 + random.IntN(40)
	length := s.share * (1 + 2*random.Float64()) * float64(seconds)
	from := random.Float64() * (float64(seconds)/2 - length)
	limit := 0.3
	l := analysistest.Loop{
		Instances: 1 + random.IntN(2), Users: 2 + random.IntN(5), Seconds: seconds,
		Service:    limit * s.without / 1.09, // p95 of service times that are even within a tenth
		Frozen:     func(int) (float64, float64) { return from, from + length },
		Slow:       [3]float64{from + length, from + 1.5*length, s.slow},
		Objectives: []study.Objective{{Metric: cmp.Or(s.metric, "p95"), Limit: limit, Text: "<= 300ms"}},
	}
	if s.slow == 0 {
		l.Slow = [3]float64{}
	}
	run, err := l.Run(filepath.Join(dir, "run"))
	if err != nil {
		return nil
	}
	return analysed(run, study.Answer{Kind: study.Capacity}, seed)
}

// alone reports whether the stall of a made-up trial is the cause that is named.
func (s stalled) alone(seed uint64) bool {
	a := s.analysed(seed)
	return a != nil && slices.ContainsFunc(a.Findings, func(f analysis.Finding) bool {
		return f.Cause != nil && f.Cause.Kind == diagnose.Unsteady && f.Cause.Alone
	})
}

// stallsAlone counts how often a stall is named as what alone breaks an objective, where it
// does and where it does not.
func stallsAlone() table {
	return table{"Stalls that are named as what alone breaks an objective", func(c *counter) [][]string {
		rows := [][]string{{"closed loop, one stall, 6 to 18 % of the phase lost", "does it alone break it?", "named"}}
		for _, s := range []stalled{
			{called: "p95 is half of its limit without it", without: 0.5, share: 0.06},
			{called: "p95 is 1.1 times its limit without it", without: 1.1, share: 0.06},
			{called: "p95 is three times its limit without it", without: 3, share: 0.06},
		} {
			what := "a stall is named as what alone breaks an objective: " + s.called
			if s.without < 1 {
				rows = append(rows, []string{s.called, "yes", percent(c.atLeast(leastFound, what, s.alone))})
				continue
			}
			rows = append(rows, []string{s.called, "no", percent(c.atMost(mostWrong, what, s.alone))})
		}
		return rows
	}}
}
