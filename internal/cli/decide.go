package cli

import (
	"errors"
	"fmt"

	"plimsoll/internal/analysis"
	"plimsoll/internal/plan"
	"plimsoll/internal/result"
)

// level is how often --decide may show a difference that is none, over all rungs.
const level = 0.05

// mostPairs is where --decide stops looking for a difference.
const mostPairs = 10

// decide gives, after the planned trials, further pairs of the two variants at
// each rung until the difference of their throughput is decided.
func decide(p *plan.Plan) (func(*result.Run) (plan.Trial, string, bool), error) {
	if len(p.Variants) != 2 || p.Study.Ladder.Auto {
		return nil, usage(errors.New("--decide compares two variants on a ladder that is a list; this study has others"))
	}
	a, b := p.Variants[0].Name, p.Variants[1].Name
	return func(run *result.Run) (plan.Trial, string, bool) {
		why := ""
		for _, rung := range p.Study.Ladder.Rungs {
			d := newDuel(run, a, b, rung, level/float64(len(p.Study.Ladder.Rungs)))
			if variant, more := d.next(); more {
				return p.Append(variant, rung, d.tried[variant]+1), fmt.Sprintf("%s against %s at %d: %s", b, a, rung, d.decision.Why), true
			}
			why += fmt.Sprintf("%s against %s at %d: %s. ", b, a, rung, d.decision.Why)
		}
		return plan.Trial{}, why, false
	}, nil
}

// duel is what has been measured of two variants at a rung.
type duel struct {
	a, b     string
	tried    map[string]int
	decision analysis.Decision
}

func newDuel(run *result.Run, a, b string, rung int, alpha float64) duel {
	d := duel{a: a, b: b, tried: map[string]int{}}
	values := map[string][]float64{}
	for _, t := range analysis.Counting(run) {
		if t.Rung != rung {
			continue
		}
		d.tried[t.Variant.Name]++
		if t.Status == result.Passed && t.MeasureEnd.After(t.MeasureStart) {
			values[t.Variant.Name] = append(values[t.Variant.Name], t.Throughput())
		}
	}
	d.decision = analysis.Sequential{Metric: "throughput", Alpha: alpha, Most: mostPairs}.Next(values[a], values[b])
	return d
}

// next names the variant whose turn it is: A B, B A, A B ..., so that a drift
// of the machine hits both alike.
func (d duel) next() (variant string, more bool) {
	na, nb := d.tried[d.a], d.tried[d.b]
	switch {
	case !d.decision.More || min(na, nb) >= mostPairs:
		return "", false
	case na < nb:
		return d.a, true
	case nb < na:
		return d.b, true
	case na%2 == 0:
		return d.a, true
	}
	return d.b, true
}
