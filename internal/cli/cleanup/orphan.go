package cleanup

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Orphans cleans up after runs that have lost their directories. It returns other
// directories, not in dirs, whose runs have something left.
func Orphans(s *command.State, dirs []string, options Options) (all []Cleaned, others []string) {
	orphans, elsewhere := journal.Orphans()
	for _, o := range orphans {
		c := Cleaned{Run: o.Original + " (gone)", o: options}
		if err := c.orphan(s, o); errors.Is(err, journal.ErrClaimed) {
			c.Busy = true
		} else if err != nil {
			c.Failed = append(c.Failed, err.Error())
		}
		all = append(all, c)
	}
	for _, dir := range slices.Sorted(maps.Values(elsewhere)) {
		here := func(d string) bool { return command.Absolute(d) == dir }
		if !slices.ContainsFunc(dirs, here) && command.Exists(filepath.Join(dir, result.JournalFile)) {
			others = append(others, dir)
		}
	}
	return all, others
}

// errPlanGone is the error of what only the plan of a run leads to.
var errPlanGone = errors.New("the plan of the run, which says how to log in, is gone with its directory")

// orphan removes what a run made whose directory is gone.
func (c *Cleaned) orphan(s *command.State, o journal.State) error {
	claim, err := journal.Claim(o.RunID)
	if err != nil {
		return err
	}
	defer claim.Close()
	j, err := journal.OpenOrphan(o)
	if err != nil {
		return err
	}
	owners := giveback.Owners(c.o.Parts, func() (*plan.Plan, error) { return nil, errPlanGone })
	c.record(j, owners.Sweep(telling(s, c.Run), o, journal.ByClean))
	c.Left = journal.Leftovers(o.RunID)
	return j.Close()
}

// Strays names what runs made that no register knows, with the commands that remove it.
func Strays(s *command.State, cache string) (all []Cleaned) {
	at := map[string]int{}
	places := append(journal.Places(), s.WorkDir(""), cache)
	for _, stray := range s.Strays(slices.Compact(slices.Sorted(slices.Values(places)))) {
		i, seen := at[stray.RunID]
		if !seen {
			i = len(all)
			at[stray.RunID] = i
			all = append(all, Cleaned{Run: "unknown run " + stray.RunID})
		}
		all[i].Left = append(all[i].Left, fmt.Sprintf("%s, which no register knows; if no run needs it: %s", stray.What, stray.Command))
	}
	return all
}
