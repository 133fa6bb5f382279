// Package cleanup removes what runs have left on this machine, on servers of others and in
// clusters, and looks afterwards whether something is still there.
package cleanup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
)

// Cleaned is what clean did about one run.
type Cleaned struct {
	Run  string `json:"run"`
	Busy bool   `json:"busy,omitempty"` // being worked on
	// Elsewhere is true if the objects in the journal were made on another machine.
	Elsewhere bool     `json:"elsewhere,omitempty"`
	Removed   []string `json:"removed,omitempty"`
	Forgotten []string `json:"forgotten,omitempty"` // in clusters that were not reached
	Failed    []string `json:"failed,omitempty"`
	Kept      []string `json:"kept,omitempty"` // evidence of failed audits
	Left      []string `json:"left,omitempty"` // found by looking over the machine

	o Options
}

// Options are how far cleaning goes.
type Options struct {
	Parts facts.Parts // have the owners of what runs leave
	Force bool        // look at runs of other machines and users, too
	// Forget drops objects from the register whose clusters are not reached, because they are gone
	// with everything in them.
	Forget bool
}

// Run removes what a run has left, unless somebody works on it or it is of another machine.
func Run(s *command.State, dir string, o Options) (Cleaned, error) {
	c := Cleaned{Run: dir, o: o}
	if !command.Exists(filepath.Join(dir, result.JournalFile)) {
		return c, command.Usage(fmt.Errorf("clean %s: it has no %s, which lists what a run has made", dir, result.JournalFile))
	}
	run, err := rundir.Claim(dir)
	if command.ExitCode(err) == command.ExitCannotRun {
		c.Busy = true
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer run.Release()
	if len(run.State.Objects)+len(run.State.Unregistered) > 0 && !o.Force {
		if c.Elsewhere = rundir.Elsewhere(run.State); c.Elsewhere {
			return c, nil
		}
		if err := rundir.CheckOwner(dir); err != nil {
			return c, err
		}
	}
	c.sweep(s, run, journal.ByClean)
	return c, nil
}

func (c *Cleaned) close(j *journal.Journal) {
	if err := j.Close(); err != nil {
		c.Failed = append(c.Failed, err.Error())
	}
}

// Evidence removes what failed audits left in a run, or says that it is kept.
func (c *Cleaned) Evidence(dir string, remove bool) {
	for _, found := range result.EvidenceDirs(dir) {
		if !remove {
			c.Kept = append(c.Kept, found)
			continue
		}
		if err := result.RemoveEvidence(dir, found); err != nil {
			c.Failed = append(c.Failed, fmt.Sprintf("evidence of a failed audit: %v", err))
			continue
		}
		c.Removed = append(c.Removed, "evidence of a failed audit "+found)
	}
}

// Sweep removes what a run left, except for objects that a resumed run uses again.
func Sweep(s *command.State, run *rundir.Claimed, o Options) Cleaned {
	c := Cleaned{o: o}
	c.sweep(s, run, journal.BeforeResuming)
	return c
}

// sweep removes the registered objects of a run that are not needed after an occasion.
func (c *Cleaned) sweep(s *command.State, run *rundir.Claimed, at journal.Occasion) {
	j, err := journal.Open(filepath.Join(run.Dir, result.JournalFile), run.ID)
	if err != nil {
		c.Failed = append(c.Failed, err.Error())
		return
	}
	defer c.close(j)
	c.record(j, giveback.Owners(c.o.Parts, c.planOf(run.Dir)).Sweep(telling(s, run.Dir), run.State, at))
	c.Left = journal.Leftovers(run.ID)
}

// planOf reads the plan of a run, which says how to log in to existing servers.
func (c *Cleaned) planOf(dir string) func() (*plan.Plan, error) {
	return sync.OnceValues(func() (*plan.Plan, error) {
		p, err := result.ReadPlan(dir)
		if err == nil {
			err = p.Rebind(facts.Vocabulary(c.o.Parts))
		}
		if err != nil {
			return nil, fmt.Errorf("how to log in there is in the run's plan: %w", err)
		}
		return p, nil
	})
}

// telling returns a context in which a sweep prints the things it waits for.
func telling(s *command.State, run string) context.Context {
	return journal.Telling(s.Context, func(what string) {
		s.Complain("%s: waiting for %s", run, what)
	})
}

// record says what a sweep did.
func (c *Cleaned) record(j *journal.Journal, done []journal.Removal) {
	for _, r := range done {
		switch {
		case r.Unreached && c.o.Forget:
			c.Forgotten = append(c.Forgotten, r.Object.String())
		case r.Unreached:
			c.Failed = append(c.Failed, fmt.Sprintf("%s: %v; if that cluster no longer exists: plimsoll clean --forget", r.Object, r.Err))
			continue
		case errors.Is(r.Err, errPlanGone): // it is named once: nobody but its owner sees when it is done
			c.Failed = append(c.Failed, fmt.Sprintf("%s: %v", r.Object, r.Err))
		case r.Err != nil:
			c.Failed = append(c.Failed, fmt.Sprintf("%s: %v", r.Object, r.Err))
			continue
		case r.Found:
			c.Removed = append(c.Removed, r.String())
		}
		if err := j.Removed(r.Object); err != nil {
			c.Failed = append(c.Failed, err.Error())
		}
	}
}
