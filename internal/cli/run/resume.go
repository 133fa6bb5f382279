package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/cli/cleanup"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

// clearForResume removes what the interrupted run left, so that its trials
// start on a clean machine. Failed trials are measured again when asked.
func clearForResume(s *command.State, run *rundir.Claimed, retry bool) error {
	c := cleanup.Sweep(s, run, cleanup.Options{Parts: registry.Parts()})
	if n := len(c.Failed) + len(c.Left); n > 0 {
		return command.WithCode(fmt.Errorf("the interrupted run left %s that could not be removed: %v", words.Count(n, "thing"), append(c.Failed, c.Left...)),
			command.ExitLeft, "see: plimsoll clean "+words.Shell(run.Dir))
	}
	if !retry {
		return nil
	}
	results, err := result.Open(run.Dir)
	if err != nil {
		return err
	}
	for _, t := range results.Trials {
		if t.Status != result.Passed {
			if err := os.RemoveAll(result.TrialDir(run.Dir, t.ID)); err != nil {
				return fmt.Errorf("forget failed trial %s: %w", t.ID, err)
			}
		}
	}
	return nil
}

// resumePlan reads the plan of a run that was begun.
func resumePlan(o *runOptions) (*plan.Plan, []byte, error) {
	p, err := result.ReadPlan(o.resume)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, command.Usage(fmt.Errorf("--resume: %s is not a run directory: %w", o.resume, err))
	}
	if err != nil {
		return nil, nil, command.Usage(fmt.Errorf("--resume: %s: %w", o.resume, err))
	}
	if err := p.Rebind(facts.Vocabulary(registry.Parts())); err != nil {
		return nil, nil, command.Usage(fmt.Errorf("--resume: the plan is not compatible with this version of plimsoll: %w", err))
	}
	if len(o.set) > 0 && !slices.Equal(o.set, p.Study.Set) {
		return nil, nil, command.WithCode(fmt.Errorf("--resume: %s was started with %s; its trials would not compare with those of another --set", o.resume, cmp.Or(settings(p.Study.Set), "no --set")), command.ExitUsage,
			"leave --set away to continue it, or start a new run")
	}
	if p.Study.Platform, err = o.Choose(p.Study.Platform); err != nil {
		return nil, nil, err
	}
	parts, err := registry.Parts().On(p.Study.Platform)
	if err != nil {
		return nil, nil, command.Usage(fmt.Errorf("--resume: %w", err))
	}
	o.owners = giveback.Owners(parts, nil)
	text, err := result.ReadStudy(o.resume)
	if err != nil {
		return nil, nil, err
	}
	if err := o.limit(p); err != nil {
		return nil, nil, err
	}
	return p, text, o.unedited(p.Study, text)
}

// doubts are the reasons not to continue a run without asking.
func doubts(dir string, s journal.State) []string {
	var all []string
	if rundir.Elsewhere(s) {
		all = append(all, "it was started on another machine, and the report would mix results of both")
	}
	if err := rundir.CheckOwner(dir); err != nil {
		all = append(all, err.Error())
	}
	if s.RunID != "" && s.Version != version.Get() {
		all = append(all, fmt.Sprintf("it was started by plimsoll %s, and this is %s", cmp.Or(s.Version, "of an unknown version"), version.Get()))
	}
	return all
}

// agreeToResume asks before a run is continued that is not this machine's,
// user's or version's. --force is the answer where nobody can be asked.
func agreeToResume(s *command.State, c *rundir.Claimed, force bool) error {
	why := doubts(c.Dir, c.State)
	if len(why) == 0 || force {
		return nil
	}
	what := fmt.Sprintf("continue %s although %s", c.Dir, strings.Join(why, "; and "))
	if s.Agreed(what) {
		return nil
	}
	return command.WithCode(errors.New("will not "+what), command.ExitCannotRun, "to do it anyway: plimsoll run --resume "+words.Shell(c.Dir)+" --force")
}

// mayResume says why a run directory is not to be continued, and takes one that this
// machine does not know as the user's own if that was asked for.
func mayResume(s *command.State, c *rundir.Claimed, o *runOptions) error {
	if !c.State.Registered && !o.adopt {
		return unknown(c)
	}
	if err := agreeToResume(s, c, o.force); err != nil {
		return err
	}
	if c.State.Original != "" {
		return command.WithCode(fmt.Errorf("%s is a copy of %s, which has left something on this machine", c.Dir, c.State.Original),
			command.ExitLeft, "clean that one first: plimsoll clean "+words.Shell(c.State.Original)+"; if it is gone: plimsoll clean")
	}
	if c.State.Registered {
		return nil
	}
	return adoptRun(c, o)
}

// unknown returns the error for a run directory that is in no register, and says what to do. The
// directory's plan chooses which programs are run, which files are read and which hosts are
// contacted.
func unknown(c *rundir.Claimed) error {
	hint := "plimsoll run --resume " + words.Shell(c.Dir) + " --adopt"
	if len(doubts(c.Dir, c.State)) > 0 {
		hint += " --force"
	}
	return command.WithCode(fmt.Errorf("will not continue %s: no register of this user on this machine has it as the directory of a run, which was copied, moved from another file system, sent, or begun by an earlier version; its plan chooses the programs, servers and clusters that are used, and the files with their passwords", c.Dir), command.ExitCannotRun,
		"only if you trust whoever made it, as you would a study: "+hint+"\nto read it: plimsoll report "+words.Shell(c.Dir))
}

// adoptRun registers a run directory as this user's. What it lists in clusters is registered
// in its plan's cluster.
func adoptRun(c *rundir.Claimed, o *runOptions) error {
	path := filepath.Join(c.Dir, result.JournalFile)
	j, err := journal.Open(path, c.ID)
	if err != nil {
		return err
	}
	err = j.Started(version.Get())
	for _, object := range c.State.Unregistered {
		if adopted, ok := o.owners.Adopt(object); ok {
			err = errors.Join(err, j.Making(adopted))
		}
	}
	if err = errors.Join(err, j.Close()); err != nil {
		return fmt.Errorf("take %s as a run of this machine: %w", c.Dir, err)
	}
	c.State, err = journal.Read(path)
	return err
}
