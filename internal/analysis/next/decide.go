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
var ErrNotTwo = errors.New("--decide compares two variants, on a ladder that is a list; this study has others")

// Decide gives, after the planned trials, further pairs of the two variants at
// each rung until the difference of their throughput is decided, of every member.
func Decide(p *plan.Plan) (Chooser, error) {
	if len(p.Variants) != 2 || p.Study.Ladder.Auto {
		return nil, ErrNotTwo
	}
	a, b, tile := p.Variants[0].Name, p.Variants[1].Name, p.Variants[0].Tile()
	alpha := level / float64(len(p.Study.Ladder.Rungs)*len(tile))
	return func(run *result.Run) (plan.Trial, string, bool) {
		why := ""
		for _, rung := range p.Study.Ladder.Rungs {
			for _, one := range tile {
				c := compareAt(run, a, b, rung, one.Member, alpha)
				said := fmt.Sprintf("%s against %s at %d%s: %s", b, a, rung, ofMember(one.Member), c.decision.Why)
				if variant, more := c.next(); more {
					return p.Append(variant, rung, c.tried[variant]+1), said, true
				}
				why += said + ". "
			}
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

// ofMember adds whose figures are compared.
func ofMember(name string) string {
	if name == "" {
		return ""
	}
	return ", " + name
}

// compareAt compares the throughput of a member of two variants at a rung.
func compareAt(run *result.Run, a, b string, rung int, member string, alpha float64) comparison {
	c := comparison{a: a, b: b, tried: map[string]int{}}
	values := map[string][]float64{}
	counted := map[describe.Unit]bool{}
	for _, t := range trust.Counting(run) {
		if t.Rung != rung || t.Alone != "" {
			continue
		}
		c.tried[t.Variant.Name]++
		if t.Status != result.Passed {
			continue
		}
		for _, one := range t.Tile() {
			if one.Variant.Member == member {
				counted[one.Profile.Unit] = true
				values[t.Variant.Name] = append(values[t.Variant.Name], trial.Throughput(one))
			}
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
