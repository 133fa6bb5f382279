package trial

import (
	"sort"

	"plimsoll/internal/result"
)

// Group is the repetitions of one variant at one rung.
type Group struct {
	Instances int
	Passed    []*result.Trial
	Failed    []*result.Trial
}

// Ran is how many instances worked to the end in each of the trials that passed, at least.
func (g Group) Ran() int {
	ran := g.Instances
	for _, t := range g.Passed {
		ran = min(ran, t.Ran())
	}
	return ran
}

// ByRung sorts a variant's trials into its rungs, smallest first.
func ByRung(trials []*result.Trial) []Group {
	byCount := map[int]*Group{}
	for _, t := range trials {
		g := byCount[t.Rung]
		if g == nil {
			g = &Group{Instances: t.Rung}
			byCount[t.Rung] = g
		}
		if t.Status == result.Passed {
			g.Passed = append(g.Passed, t)
		} else {
			g.Failed = append(g.Failed, t)
		}
	}
	groups := make([]Group, 0, len(byCount))
	for _, g := range byCount {
		sort.Slice(g.Passed, func(i, j int) bool { return g.Passed[i].Repetition < g.Passed[j].Repetition })
		groups = append(groups, *g)
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].Instances < groups[j].Instances })
	return groups
}

// IDs lists the group's trials, passed ones first.
func (g Group) IDs() []string {
	ids := make([]string, 0, len(g.Passed)+len(g.Failed))
	for _, t := range append(append([]*result.Trial{}, g.Passed...), g.Failed...) {
		ids = append(ids, t.ID)
	}
	return ids
}
