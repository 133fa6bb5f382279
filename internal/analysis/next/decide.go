package next

import (
	"errors"
	"fmt"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// level is the probability that Decide shows a difference where there is none, over all
// rungs.
const level = 0.05

// mostPairs is where Decide stops looking for a difference.
const mostPairs = 10

// ErrNotTwo says that a plan cannot be decided.
var ErrNotTwo = errors.New("--decide compares two variants, without members, on a ladder that is a list; this study has others")

// Decide gives, after the planned trials, further pairs of the two variants at
// each rung until the difference of their throughput is decided.
func Decide(p *plan.Plan) (Chooser, error) {
	if len(p.Variants) != 2 || p.Study.Ladder.Auto || len(p.Study.Members) > 0 {
		return nil, ErrNotTwo
	}
	a, b := p.Variants[0].Name, p.Variants[1].Name
	return func(run *result.Run) (plan.Trial, string, bool) {
		why := ""
		for _, rung := range p.Study.Ladder.Rungs {
			c := compareAt(run, a, b, rung, level/float64(len(p.Study.Ladder.Rungs)))
			if variant, more := c.next(); more {
				return p.Append(variant, rung, c.tried[variant]+1), fmt.Sprintf("%s against %s at %d: %s", b, a, rung, c.decision.Why), true
			}
			why += fmt.Sprintf("%s against %s at %d: %s. ", b, a, rung, c.decision.Why)
		}
		return plan.Trial{}, why, false
	}, nil
}

// comparison holds the measurements of two variants at a rung.
type comparison struct {
	a, b     string
	tried    map[string]int
	decision Decision
}

func compareAt(run *result.Run, a, b string, rung int, alpha float64) comparison {
	c := comparison{a: a, b: b, tried: map[string]int{}}
	values := map[string][]float64{}
	counted := map[describe.Unit]bool{}
	for _, t := range trust.Counting(run) {
		if t.Rung != rung {
			continue
		}
		c.tried[t.Variant.Name]++
		if t.Status == result.Passed {
			counted[t.Profile.Unit] = true
			values[t.Variant.Name] = append(values[t.Variant.Name], trial.Throughput(t))
		}
	}
	if len(counted) > 1 {
		c.decision = Decision{Verdict: family.Untested, Why: "they count different work"}
		return c
	}
	c.decision = Sequential{Metric: "throughput", Alpha: alpha, Most: mostPairs}.Next(values[a], values[b])
	return c
}

// next names the variant whose turn it is: A B, B A, A B ..., so that a drift
// of the machine hits both alike.
func (c comparison) next() (variant string, more bool) {
	na, nb := c.tried[c.a], c.tried[c.b]
	switch {
	case !c.decision.More || min(na, nb) >= mostPairs:
		return "", false
	case na < nb:
		return c.a, true
	case nb < na:
		return c.b, true
	case na%2 == 0:
		return c.a, true
	}
	return c.b, true
}
