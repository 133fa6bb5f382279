package next

import (
	"errors"
	"slices"

	"plimsoll/internal/analysis/compare/family"
	"plimsoll/internal/analysis/say"
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
	a, b := p.Variants[0], p.Variants[1]
	tile, other := a.Tile(), b.Tile()
	alpha := level / float64(len(p.Study.Ladder.Rungs)*len(tile))
	return func(run *result.Run) (plan.Trial, string, bool) {
		parts, why := run.Members(), ""
		for _, rung := range p.Study.Ladder.Rungs {
			for i, part := range parts {
				c := compareAt(part, tile[i].Title(), other[i].Title(), rung*tile[i].Weight, alpha)
				said := say.F("%s against %s at %d%s: %s", b.Name, a.Name, rung, ofMember(tile[i].Member), c.decision.Why)
				if turn, more := c.next(); more {
					variant := []string{a.Name, b.Name}[turn]
					return p.Append(variant, rung, c.tried[turn]+1), said, true
				}
				why += said + ". "
			}
		}
		return plan.Trial{}, why, false
	}, nil
}

// ofMember adds whose figures are compared.
func ofMember(name string) string {
	if name == "" {
		return ""
	}
	return ", " + name
}

// comparison holds the measurements of two variants at a rung.
type comparison struct {
	tried    [2]int
	decision Decision
}

func compareAt(run *result.Run, a, b string, rung int, alpha float64) comparison {
	var c comparison
	var values [2][]float64
	counted := map[describe.Unit]bool{}
	for _, t := range trust.Counting(run) {
		at := slices.Index([]string{a, b}, t.Variant.Name)
		if t.Rung != rung || at < 0 {
			continue
		}
		c.tried[at]++
		if t.Status == result.Passed {
			counted[t.Profile.Unit] = true
			values[at] = append(values[at], trial.Throughput(t))
		}
	}
	if len(counted) > 1 {
		c.decision = Decision{Verdict: family.Untested, Why: say.F("they count different work")}
		return c
	}
	c.decision = Sequential{Metric: "throughput", Alpha: alpha, Most: mostPairs}.Next(values[0], values[1])
	return c
}

// next says whose turn it is: A B, B A, A B ..., so that a drift of the machine hits both
// alike.
func (c comparison) next() (turn int, more bool) {
	na, nb := c.tried[0], c.tried[1]
	switch {
	case !c.decision.More || min(na, nb) >= mostPairs:
		return 0, false
	case na < nb:
		return 0, true
	case nb < na:
		return 1, true
	}
	return na % 2, true
}
