package run

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/cleanup"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/detach"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

type cleanOptions struct {
	platform place.Options
	home     place.Home
	runs     string
	golden   bool
	evidence bool
	cache    string
	all      bool
	cleanup.Options
}

func newClean(s *command.State) *cobra.Command {
	o := &cleanOptions{Options: cleanup.Options{Parts: registry.Parts()}}
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

Of objects in a cluster that cannot be reached, clean says so and tries again next
time. If the cluster was deleted, --forget drops them from the register.

With --platform kubernetes and without arguments it also removes detached runs that
are not in progress from the cluster; their directories stay on the claim.

Exit codes: 0 nothing is left; 7 something could not be removed.`,
		Example: "  plimsoll clean\n  plimsoll clean runs/20261121-101500-quickstart\n  plimsoll clean --golden",
		RunE:    func(_ *cobra.Command, args []string) error { return cleanRuns(s, o, args) },
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return rundir.Own(o.runs, func(r result.RunInfo) bool { return !slices.Contains(args, r.Dir) }), cobra.ShellCompDirectiveDefault
	}
	o.platform.Register(cmd)
	o.home.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "directory that holds runs")
	f.BoolVar(&o.golden, "golden", false, "also remove the cached golden volumes")
	f.BoolVar(&o.evidence, "evidence", false, "also remove the evidence of failed audits")
	f.StringVar(&o.cache, "cache", "", "directory of cached golden volumes")
	f.BoolVar(&o.all, "all", false, "all of your runs on this machine, wherever their directories are")
	f.BoolVar(&o.Force, "force", false, "also look at runs of another machine or user; only what your own register has is removed")
	f.BoolVar(&o.Forget, "forget", false, "give up objects in clusters that cannot be reached: the clusters are gone")
	return cmd
}

func cleanRuns(s *command.State, o *cleanOptions, args []string) error {
	_, elsewhere, err := place.PartsFor(o.platform)
	if err != nil {
		return err
	}
	if o.all && len(args) > 0 {
		return command.Usage(errors.New("clean: --all cleans every run: name no runs beside it"))
	}
	dirs := make([]string, len(args))
	for i, name := range args {
		if dirs[i], err = rundir.Find(o.runs, name); err != nil {
			return err
		}
	}
	if len(dirs) == 0 {
		if err := rundir.CheckRuns(o.runs); err != nil {
			return err
		}
		if dirs, err = withJournal(o.runs); err != nil {
			return err
		}
	}
	all := []cleanup.Cleaned{}
	if len(args) == 0 {
		orphans, others := cleanup.Orphans(s, dirs, o.Options)
		all = append(all, orphans...)
		if o.all {
			dirs = append(dirs, others...)
		} else {
			nameOthers(s, others)
		}
	}
	for _, dir := range dirs {
		c, err := cleanup.Run(s, dir, o.Options)
		if command.ExitCode(err) == command.ExitUsage {
			return err
		}
		if err != nil { // the other runs are cleaned all the same
			c.Failed = append(c.Failed, err.Error())
		}
		if err == nil && !c.Busy && !c.Elsewhere {
			c.Evidence(dir, o.evidence)
		}
		all = append(all, c)
	}
	if elsewhere && len(args) == 0 {
		detached, err := cleanDetached(s, o)
		if err != nil {
			return err
		}
		all = append(all, detached...)
	}
	if o.golden {
		removed, err := registry.Parts().Platform.Kept(s.CacheDir(o.cache)).Remove(s.Context)
		if errors.Is(err, platform.ErrGoldenBusy) {
			return command.WithCode(err, command.ExitLeft, "wait for the run to end, or stop it with Ctrl-C in its terminal")
		}
		if err != nil {
			return err
		}
		if !s.JSON {
			s.PrintWrapped("%s: removed %s", s.CacheDir(o.cache), words.Count(removed, "golden volume"))
		}
	}
	if len(args) == 0 {
		all = append(all, cleanup.Strays(s, s.CacheDir(o.cache))...)
	}
	return cleanup.Print(s, all)
}

// nameOthers names the other runs that may have left something.
func nameOthers(s *command.State, dirs []string) {
	if s.JSON {
		return
	}
	for _, dir := range dirs {
		s.PrintWrapped("%s: not of these runs, may have left something: plimsoll clean %s", dir, words.Shell(dir))
	}
	if len(dirs) > 1 {
		s.PrintWrapped("All of them: plimsoll clean --all")
	}
}

// withJournal lists the directories in a directory that have a journal. It does not follow links:
// a link's target is cleaned by its own name.
func withJournal(runs string) (dirs []string, err error) {
	entries, err := untrusted.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, command.CannotRun(fmt.Errorf("look for runs: %w", err), "name their directory with --runs")
	}
	for _, e := range entries {
		if dir := filepath.Join(runs, e.Name()); e.IsDir() && command.Exists(filepath.Join(dir, result.JournalFile)) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// cleanDetached removes the detached runs of a cluster that are not in progress.
func cleanDetached(s *command.State, o *cleanOptions) ([]cleanup.Cleaned, error) {
	chosen, err := o.platform.Choose(study.Platform{})
	if err != nil {
		return nil, err
	}
	cluster, ok := chosen.Parameters.(place.Cluster)
	if !ok {
		return nil, nil
	}
	o.home.Kubeconfig, o.home.Context = cluster.Cluster()
	home, err := place.Connect(s, o.home)
	if err != nil {
		return nil, err
	}
	runs, err := home.List(s.Context)
	if err != nil {
		return nil, err
	}
	var all []cleanup.Cleaned
	for _, r := range runs {
		c := cleanup.Cleaned{Run: "detached " + r.Run, Busy: r.State == detach.Running}
		if !c.Busy {
			if err := home.Remove(s.Context, r.Run); err != nil {
				c.Failed = []string{err.Error()}
			} else {
				c.Removed = []string{"its job"}
			}
		}
		all = append(all, c)
	}
	return all, nil
}
