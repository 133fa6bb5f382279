package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/words"
)

type cleanOptions struct {
	platformOptions
	home     homeOptions
	runs     string
	golden   bool
	evidence bool
	cache    string
	force    bool
	all      bool
}

func newClean(s *State) *cobra.Command {
	o := &cleanOptions{}
	cmd := &cobra.Command{
		Use:   "clean [RUN...]",
		Short: "Remove what runs left behind, and verify that nothing is left",
		Long: `Clean reads the journals of the given runs (without arguments, of all runs),
removes every process, mount, loop device, cgroup, network namespace and
directory that a crash left behind, and then checks the machine again without
the journals. It also drops what the runs noted as their own in databases of
existing servers and removes their buckets of object stores, and names what it
cannot remove. Results are kept. So are the
volumes of instances whose audit failed, unless --evidence is given. Runs that are
in progress, or that were made on another machine, are not touched.

Only what this user's register on this machine has for a run's directory is
removed, and only there: of a copied or received run directory nothing is and no
cluster or server that it names is asked, but what it lists is named, with the
command that removes it. Without arguments, clean also
removes what runs left whose directories are gone, and names what has the name
or the marker of a run that no register knows. Runs below other directories than
--runs are named, and cleaned with --all.

With --platform kubernetes and without arguments it also removes detached runs that
are not in progress from the cluster; their directories stay on the claim.

Exit codes: 0 nothing is left; 7 something could not be removed.`,
		Example: "  plimsoll clean\n  plimsoll clean runs/20261121-101500-quickstart\n  plimsoll clean --golden",
		RunE:    func(_ *cobra.Command, args []string) error { return s.clean(o, args) },
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return ownRuns(o.runs, func(r result.RunInfo) bool { return !slices.Contains(args, r.Dir) }), cobra.ShellCompDirectiveDefault
	}
	o.platformOptions.register(cmd)
	o.home.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.BoolVar(&o.golden, "golden", false, "also remove the cached golden volumes")
	f.BoolVar(&o.evidence, "evidence", false, "also remove the evidence of failed audits")
	f.StringVar(&o.cache, "cache", "", "directory of cached golden volumes")
	f.BoolVar(&o.all, "all", false, "all of your runs on this machine, wherever their directories are")
	f.BoolVar(&o.force, "force", false, "also look at runs of another machine or user; only what your own register has is removed")
	return cmd
}

// cleaned is what clean did about one run.
type cleaned struct {
	Run  string `json:"run"`
	Busy bool   `json:"busy,omitempty"` // being worked on
	// Elsewhere is true if the objects in the journal were made on another machine.
	Elsewhere bool     `json:"elsewhere,omitempty"`
	Removed   []string `json:"removed,omitempty"`
	Failed    []string `json:"failed,omitempty"`
	Kept      []string `json:"kept,omitempty"` // evidence of failed audits
	Left      []string `json:"left,omitempty"` // found by looking over the machine
}

func (s *State) clean(o *cleanOptions, args []string) error {
	_, elsewhere, err := s.partsFor(o.platformOptions)
	if err != nil {
		return err
	}
	if o.all && len(args) > 0 {
		return usage(errors.New("clean: --all cleans every run: name no runs beside it"))
	}
	dirs := make([]string, len(args))
	for i, name := range args {
		if dirs[i], err = runDir(o.runs, name); err != nil {
			return err
		}
	}
	if len(dirs) == 0 {
		if err := notRuns(o.runs); err != nil {
			return err
		}
		if dirs, err = withJournal(o.runs); err != nil {
			return err
		}
	}
	all := []cleaned{}
	if len(args) == 0 {
		orphans, others := s.cleanOrphans(dirs)
		all = append(all, orphans...)
		if o.all {
			dirs = append(dirs, others...)
		} else {
			s.nameOthers(others)
		}
	}
	for _, dir := range dirs {
		c, err := s.cleanRun(dir, o.force)
		if exitCode(err) == exitUsage {
			return err
		}
		if err != nil { // the other runs are cleaned all the same
			c.Failed = append(c.Failed, err.Error())
		}
		if err == nil && !c.Busy && !c.Elsewhere {
			c.evidence(dir, o.evidence)
		}
		all = append(all, c)
	}
	if elsewhere && len(args) == 0 {
		detached, err := s.cleanDetached(o)
		if err != nil {
			return err
		}
		all = append(all, detached...)
	}
	if o.golden {
		removed, err := Parts().Platform.Kept(s.cacheDir(o.cache)).Remove(s.Context)
		if errors.Is(err, platform.ErrGoldenBusy) {
			return codedError{err, exitLeft, "wait for the run to end, or stop it with Ctrl-C in its terminal"}
		}
		if err != nil {
			return err
		}
		if !s.JSON {
			s.printWrapped("%s: removed %s", s.cacheDir(o.cache), words.Count(removed, "golden volume"))
		}
	}
	if len(args) == 0 {
		all = append(all, s.strays(o)...)
	}
	return s.printCleaned(all)
}

// cleanOrphans cleans up after runs that have lost their directories. It returns other
// directories, not in dirs, whose runs have something left.
func (s *State) cleanOrphans(dirs []string) (all []cleaned, others []string) {
	orphans, elsewhere := journal.Orphans()
	for _, o := range orphans {
		c := cleaned{Run: o.Original + " (gone)"}
		if err := c.orphan(s, o); errors.Is(err, journal.ErrClaimed) {
			c.Busy = true
		} else if err != nil {
			c.Failed = append(c.Failed, err.Error())
		}
		all = append(all, c)
	}
	for _, dir := range slices.Sorted(maps.Values(elsewhere)) {
		here := func(d string) bool { return absolute(d) == dir }
		if !slices.ContainsFunc(dirs, here) && exists(filepath.Join(dir, result.JournalFile)) {
			others = append(others, dir)
		}
	}
	return all, others
}

// nameOthers names the other runs that may have left something.
func (s *State) nameOthers(dirs []string) {
	if s.JSON {
		return
	}
	for _, dir := range dirs {
		s.printWrapped("%s: not of these runs, may have left something: plimsoll clean %s", dir, words.Shell(dir))
	}
	if len(dirs) > 1 {
		s.printWrapped("All of them: plimsoll clean --all")
	}
}

// orphan removes what a run made whose directory is gone.
func (c *cleaned) orphan(s *State, o journal.State) error {
	claim, err := journal.Claim(o.RunID)
	if err != nil {
		return err
	}
	defer claim.Close()
	j, err := journal.OpenOrphan(o)
	if err != nil {
		return err
	}
	c.record(j, sweeperOf(o).Sweep(s.telling(c.Run), o))
	for _, lent := range o.Objects {
		if !lent.Lent() {
			continue
		}
		byHand := app.ByHand
		if lent.Kind != journal.Database {
			byHand = "remove it with all that is in it"
		}
		c.Failed = append(c.Failed, fmt.Sprintf("%s: the plan of the run, which says how to log in, is gone with its directory: %s", lent, byHand))
		if err := j.Removed(lent); err != nil { // it is named once: nobody but its owner sees when it is done
			c.Failed = append(c.Failed, err.Error())
		}
	}
	c.Left = journal.Leftovers(o.RunID)
	return j.Close()
}

// strays names what runs made that no register knows, with the commands that remove it.
func (s *State) strays(o *cleanOptions) (all []cleaned) {
	at := map[string]int{}
	places := append(journal.Places(), s.workDir(""), s.cacheDir(o.cache))
	for _, stray := range journal.Strays(slices.Compact(slices.Sorted(slices.Values(places)))) {
		i, seen := at[stray.RunID]
		if !seen {
			i = len(all)
			at[stray.RunID] = i
			all = append(all, cleaned{Run: "unknown run " + stray.RunID})
		}
		all[i].Left = append(all[i].Left, fmt.Sprintf("%s, which no register knows; if no run needs it: %s", stray.What, stray.Command))
	}
	return all
}

// telling returns a context in which a sweep prints the things it waits for.
func (s *State) telling(run string) context.Context {
	return journal.Telling(s.Context, func(what string) {
		s.complain("%s: waiting for %s", run, what)
	})
}

// withJournal lists the directories in a directory that have a journal. It does not follow links:
// a link's target is cleaned by its own name.
func withJournal(runs string) (dirs []string, err error) {
	entries, err := untrusted.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannotRun(fmt.Errorf("look for runs: %w", err), "name their directory with --runs")
	}
	for _, e := range entries {
		if dir := filepath.Join(runs, e.Name()); e.IsDir() && exists(filepath.Join(dir, result.JournalFile)) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

func (s *State) cleanRun(dir string, force bool) (cleaned, error) {
	c := cleaned{Run: dir}
	if !exists(filepath.Join(dir, result.JournalFile)) {
		return c, usage(fmt.Errorf("clean %s: it has no %s, which lists what a run has made", dir, result.JournalFile))
	}
	run, err := claimRun(dir)
	if exitCode(err) == exitCannotRun {
		c.Busy = true
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer run.release()
	if len(run.state.Objects)+len(run.state.Unregistered) > 0 && !force {
		if c.Elsewhere = elsewhere(run.state); c.Elsewhere {
			return c, nil
		}
		if err := strangers(dir); err != nil {
			return c, err
		}
	}
	c.sweep(s, run)
	c.giveBackDatabases(s, run)
	c.giveBackVolumes(s, run)
	return c, nil
}

// giveBackDatabases gives back the databases on existing servers that the run still has.
func (c *cleaned) giveBackDatabases(s *State, run *claimed) {
	databases := campaign.Owed(run.state)
	if len(databases) == 0 {
		return
	}
	p, j, err := owing(run)
	if err != nil {
		c.gave("", fmt.Errorf("%d databases on existing servers: %w", len(databases), err))
		return
	}
	for _, database := range databases {
		if !campaign.Claimed(run.state, database) {
			c.gave("", fmt.Errorf("database %q at %s: no register of this user on this machine says that the run of this directory claimed it (it was copied, sent or forged): nobody logs in there", database["database"], database["server"]))
			continue
		}
		c.gave(campaign.GiveBack(s.Context, Parts(), p, run.id, database, j))
	}
	c.close(j)
}

// giveBackVolumes removes the volumes that the run still has on existing servers.
func (c *cleaned) giveBackVolumes(s *State, run *claimed) {
	volumes := campaign.OwedVolumes(run.state)
	if len(volumes) == 0 {
		return
	}
	p, j, err := owing(run)
	if err != nil {
		for _, v := range volumes {
			c.gave("", fmt.Errorf("%s: %w", v, err))
		}
		return
	}
	for _, v := range volumes {
		c.gave(campaign.GiveBackVolume(s.Context, Parts(), p, run.id, v, j))
	}
	c.close(j)
}

// gave records what was given back; done is empty where nothing was left.
func (c *cleaned) gave(done string, err error) {
	switch {
	case err != nil:
		c.Failed = append(c.Failed, err.Error())
	case done != "":
		c.Removed = append(c.Removed, done)
	}
}

func (c *cleaned) close(j *journal.Journal) {
	if err := j.Close(); err != nil {
		c.Failed = append(c.Failed, err.Error())
	}
}

// owing opens the plan of a run, which says how to log in to existing servers, and its
// journal.
func owing(run *claimed) (*plan.Plan, *journal.Journal, error) {
	p, err := result.ReadPlan(run.dir)
	if err == nil {
		err = p.Rebind(campaign.Vocabulary(Parts()))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("how to log in there is in the run's plan: %w", err)
	}
	j, err := journal.Open(filepath.Join(run.dir, result.JournalFile), run.id)
	return p, j, err
}

// evidence removes what failed audits left in a run, or says that it is kept.
func (c *cleaned) evidence(dir string, remove bool) {
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

// sweep removes everything that is registered for a run.
func (c *cleaned) sweep(s *State, run *claimed) {
	j, err := journal.Open(filepath.Join(run.dir, result.JournalFile), run.id)
	if err != nil {
		c.Failed = append(c.Failed, err.Error())
		return
	}
	defer j.Close()
	c.record(j, sweeperOf(run.state).Sweep(s.telling(run.dir), run.state))
	c.Left = journal.Leftovers(run.id)
}

// record says what a sweep did.
func (c *cleaned) record(j *journal.Journal, done []journal.Removal) {
	for _, r := range done {
		switch {
		case r.Err != nil:
			c.Failed = append(c.Failed, fmt.Sprintf("%s: %v", r.Object, r.Err))
		default:
			if r.Found {
				c.Removed = append(c.Removed, r.Object.String())
			}
			if err := j.Removed(r.Object); err != nil {
				c.Failed = append(c.Failed, err.Error())
			}
		}
	}
}

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

func (s *State) printCleaned(all []cleaned) error {
	left, alone := 0, 0
	for _, c := range all {
		left += len(c.Left) + len(c.Failed)
		if c.Busy || c.Elsewhere {
			alone++
		}
	}
	if s.JSON {
		if err := s.printJSON(all); err != nil || left == 0 {
			return err
		}
		return silent(exitLeft)
	}
	for _, c := range all {
		s.printCleanedRun(c)
	}
	if left > 0 {
		return codedError{fmt.Errorf("%s could not be removed, listed above", words.Count(left, "thing")), exitLeft, "run it again as the user that made them, or remove them by hand"}
	}
	if alone > 0 && alone == len(all) {
		s.printWrapped("No run was cleaned: %s skipped, see above.", words.CountOf(alone, "run was", "runs were"))
		return nil
	}
	s.printWrapped("Nothing is left of %s: checked processes, mounts, loop devices, cgroups, network namespaces and temporary directories.", words.Count(len(all)-alone, "run"))
	return nil
}

func (s *State) printCleanedRun(c cleaned) {
	if c.Busy {
		s.printWrapped("%s: in progress, skipped", c.Run)
	}
	if c.Elsewhere {
		s.printWrapped("%s: made on another machine, skipped; if it was this one: plimsoll clean --force %s", c.Run, words.Shell(c.Run))
	}
	for _, r := range c.Removed {
		s.printWrapped("%s: removed %s", c.Run, r)
	}
	for _, k := range c.Kept {
		s.printWrapped("%s: kept %s, the evidence of a failed audit; remove it with --evidence", c.Run, k)
	}
	for _, f := range c.Failed {
		s.complain("%s: not removed: %s", c.Run, f)
	}
	for _, l := range c.Left {
		s.complain("%s: still there: %s", c.Run, l)
	}
}

// clearForResume removes what the interrupted run left, so that its trials
// start on a clean machine. Failed trials are measured again when asked.
func (s *State) clearForResume(run *claimed, retry bool) error {
	var c cleaned
	c.sweep(s, run)
	c.giveBackVolumes(s, run)
	if n := len(c.Failed) + len(c.Left); n > 0 {
		return codedError{fmt.Errorf("the interrupted run left %s that could not be removed: %v", words.Count(n, "thing"), append(c.Failed, c.Left...)),
			exitLeft, "see: plimsoll clean " + words.Shell(run.dir)}
	}
	if !retry {
		return nil
	}
	results, err := result.Open(run.dir)
	if err != nil {
		return err
	}
	for _, t := range results.Trials {
		if t.Status != result.Passed {
			if err := os.RemoveAll(result.TrialDir(run.dir, t.ID)); err != nil {
				return fmt.Errorf("forget failed trial %s: %w", t.ID, err)
			}
		}
	}
	return nil
}
