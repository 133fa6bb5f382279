package cleanup

import (
	"fmt"
	"path/filepath"

	"plimsoll/internal/campaign"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// giveBackDatabases gives back the databases on existing servers that the run still has.
func (c *Cleaned) giveBackDatabases(s *command.State, run *rundir.Claimed) {
	databases := campaign.PendingDatabases(run.State)
	if len(databases) == 0 {
		return
	}
	p, j, err := openPlan(run)
	if err != nil {
		c.gave("", fmt.Errorf("%d databases on existing servers: %w", len(databases), err))
		return
	}
	for _, database := range databases {
		if !campaign.Claimed(run.State, database) {
			c.gave("", fmt.Errorf("database %q at %s: no register of this user on this machine says that the run of this directory claimed it (it was copied, sent or forged): nobody logs in there", database["database"], database["server"]))
			continue
		}
		c.gave(campaign.GiveBack(s.Context, registry.Parts(), p, run.ID, database, j))
	}
	c.close(j)
}

// giveBackVolumes removes the volumes that the run still has on existing servers.
func (c *Cleaned) giveBackVolumes(s *command.State, run *rundir.Claimed) {
	volumes := campaign.PendingVolumes(run.State)
	if len(volumes) == 0 {
		return
	}
	p, j, err := openPlan(run)
	if err != nil {
		for _, v := range volumes {
			c.gave("", fmt.Errorf("%s: %w", v, err))
		}
		return
	}
	for _, v := range volumes {
		c.gave(campaign.GiveBackVolume(s.Context, registry.Parts(), p, run.ID, v, j))
	}
	c.close(j)
}

// gave records what was given back; done is empty where nothing was left.
func (c *Cleaned) gave(done string, err error) {
	switch {
	case err != nil:
		c.Failed = append(c.Failed, err.Error())
	case done != "":
		c.Removed = append(c.Removed, done)
	}
}

// openPlan opens the plan of a run, which says how to log in to existing servers, and its
// journal.
func openPlan(run *rundir.Claimed) (*plan.Plan, *journal.Journal, error) {
	p, err := result.ReadPlan(run.Dir)
	if err == nil {
		err = p.Rebind(campaign.Vocabulary(registry.Parts()))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("how to log in there is in the run's plan: %w", err)
	}
	j, err := journal.Open(filepath.Join(run.Dir, result.JournalFile), run.ID)
	return p, j, err
}
