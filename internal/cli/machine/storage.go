package machine

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/cleanup"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/storage/devicepool"
	"plimsoll/internal/study"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

// poolNames are the groups of pools that are up, and their pools.
func poolNames(runs string) (groups, names []string) {
	all, _ := devicepool.List(runs) // no proposals rather than an error
	for _, g := range all {
		groups = append(groups, g.Name)
		for _, p := range g.Pools {
			names = append(names, p.Name)
		}
	}
	return groups, names
}

type storageOptions struct {
	runs, work, name string
	profile          string
}

func newStorage(s *command.State) *cobra.Command {
	o := &storageOptions{}
	cmd := &cobra.Command{
		Use:   "storage",
		Short: "Bring storage pools up without a study, and take them down",
		Long: `Storage brings up the storage classes of a file (pools, simulated disks)
and keeps them up until they are taken down. Each gets one volume, mounted and
ready to use.

The file defines pools as a study does:

  storage:
    lab:
      class: disk
      media: hdd-7200
      size: 4GiB

You can also give a study: its storage classes are brought up.`,
	}
	cmd.PersistentFlags().StringVar(&o.runs, "runs", "runs", "directory that holds runs, and the journals of pools")
	cmd.AddCommand(newStorageUp(s, o), newStorageList(s, o), newStorageProbe(s, o), newStorageDown(s, o), newStorageKeep(s, o))
	return cmd
}

func newStorageUp(s *command.State, o *storageOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "up FILE",
		Short: "Bring the pools of a file up",
		Long: `Up brings up the pools of a file, creates a volume on each and prints its mount
point. A background process keeps them up until plimsoll storage down.

Exit codes: 0 all pools are up; 2 the file has problems; 1 or 3 a pool did not
come up, and all were taken down again.`,
		Example: "  plimsoll storage up pools.yaml\n  plimsoll storage up study.yaml --profile pools --name lab\n  plimsoll storage up pools.yaml --json",
		Args:    command.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return storageUp(s, o, args[0]) },

		ValidArgsFunction: command.CompleteFiles,
	}
	o.registerUp(cmd)
	return cmd
}

func (o *storageOptions) registerUp(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.name, "name", "", "name of these pools (default: the file's name)")
	cmd.Flags().StringVar(&o.work, "work", "", "directory for bricks and mounts (default $PLIMSOLL_WORK or /var/tmp)")
	cmd.Flags().StringVarP(&o.profile, "profile", "p", "", "with a study: apply this profile")
}

func newStorageKeep(s *command.State, o *storageOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "keep FILE DIR",
		Short:  "Keep pools up until a signal",
		Hidden: true,
		Args:   command.ExactArgs(2),
		RunE:   func(_ *cobra.Command, args []string) error { return storageKeep(s, o, args[0], args[1]) },
	}
	o.registerUp(cmd)
	return cmd
}

func newStorageList(s *command.State, o *storageOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the pools that are up",
		Example: "  plimsoll storage list\n  plimsoll storage list --json",
		Args:    command.ExactArgs(0),
		RunE:    func(*cobra.Command, []string) error { return storageList(s, o) },
	}
}

func newStorageDown(s *command.State, o *storageOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "down [NAME...]",
		Short: "Take pools down; without a name, all of them",
		Long: `Down takes pools down by the name that "storage up" gave them, and verifies that
nothing is left.

Exit codes: 0 nothing is left; 2 no pools of that name; 7 something could not be
removed.`,
		Example: "  plimsoll storage down\n  plimsoll storage down lab",
		RunE:    func(_ *cobra.Command, args []string) error { return storageDown(s, o, args) },

		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			groups, _ := poolNames(o.runs)
			return slices.DeleteFunc(groups, func(g string) bool { return slices.Contains(args, g) }), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// readPools reads the pools of a file or of a study.
func readPools(s *command.State, o *storageOptions, arg string) (study.Pools, error) {
	name, text, err := author.ReadStudy(s, arg)
	if err != nil {
		return study.Pools{}, err
	}
	vocabulary := facts.Vocabulary(registry.Parts())
	if !isStudy(text) {
		all, err := study.ParsePools(name, text, vocabulary)
		if err != nil {
			return all, command.Usage(err)
		}
		return all, nil
	}
	st, err := study.Parse(name, text, o.profile, vocabulary)
	if err != nil {
		return study.Pools{}, command.Usage(err)
	}
	return study.PoolsOf(st), nil
}

// isStudy tells a study from a file of pools by its first word.
func isStudy(text []byte) bool {
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		if strings.HasPrefix(line, "study:") {
			return true
		}
	}
	return false
}

// canHave returns an error if this machine cannot have all of the pools.
func canHave(all study.Pools) error {
	registry := registry.Kinds()
	for _, name := range all.Order {
		p := all.Storage[name]
		if err := registry[p.Class].Usable(p.Parameters); err != nil {
			return command.CannotRun(fmt.Errorf("%s cannot be brought up here: %w", name, err), "to see what is missing: plimsoll doctor")
		}
	}
	return nil
}

func storageUp(s *command.State, o *storageOptions, arg string) error {
	all, err := readPools(s, o, arg)
	if err == nil {
		err = canHave(all)
	}
	if err != nil {
		return err
	}
	if o.name == "" {
		o.name = strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
	}
	if err := rundir.CheckName(o.name); err != nil {
		return err
	}
	groups, err := devicepool.List(o.runs)
	if err != nil {
		return err
	}
	for _, group := range groups {
		if group.Name == o.name {
			return command.WithCode(fmt.Errorf("pools named %s already exist", o.name), command.ExitUsage,
				"take them down with: plimsoll storage down "+o.name+"\nor choose another name with --name")
		}
	}
	dir := filepath.Join(o.runs, time.Now().Format("20060102-150405")+"-storage-"+o.name)
	state, err := startKeeper(s, o, arg, dir)
	if err != nil {
		return err
	}
	if s.JSON {
		return s.PrintJSON(state)
	}
	for _, p := range state.Pools {
		s.PrintWrapped("%s is up after %.1f s: %s\n  volume: %s", p.Name, p.Took.Seconds(), p.About.Text, p.Volume.Path)
	}
	s.PrintWrapped("\nTake everything down with: plimsoll storage down %s", o.name)
	return nil
}

// startKeeper starts the process that keeps the pools up, and waits until they
// are.
func startKeeper(s *command.State, o *storageOptions, arg, dir string) (devicepool.State, error) {
	if err := safefile.Ensure(dir, 0o755); err != nil {
		return devicepool.State{}, fmt.Errorf("make the directory of the pools: %w; choose another with --runs", err)
	}
	log, err := safefile.Replace(filepath.Join(dir, "supervisor.log"), 0o644)
	if err != nil {
		return devicepool.State{}, err
	}
	defer log.Close()
	cmd := exec.Command(s.Executable, "storage", "keep", arg, dir, "--runs", o.runs, "--name", o.name, "--work", s.WorkDir(o.work), "--profile", o.profile)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return devicepool.State{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return awaitKeeper(s, cmd, ended, dir)
}

func awaitKeeper(s *command.State, cmd *exec.Cmd, ended <-chan error, dir string) (devicepool.State, error) {
	stop := s.Context.Done()
	for {
		select {
		case err := <-ended:
			return devicepool.State{}, notUp(s, dir, errors.Join(err, s.Context.Err()))
		case <-stop:
			_ = cmd.Process.Signal(syscall.SIGTERM) // it takes down everything that is up
			stop = nil
		case <-time.After(50 * time.Millisecond):
			if state, err := devicepool.Read(dir); err == nil && stop != nil {
				return state, nil
			}
		}
	}
}

// notUp says by the supervisor's log why it ended. Its directory goes when
// nothing is left of it.
func notUp(s *command.State, dir string, cause error) error {
	text, _ := untrusted.Read(dir, "supervisor.log", untrusted.MostInput)
	err := fmt.Errorf("the pools did not come up (%w): %s", cause, strings.TrimSpace(string(text)))
	c, cleanErr := cleanup.Run(s, dir, cleanup.Options{Parts: registry.Parts()})
	if cleanErr != nil || len(c.Failed)+len(c.Left) > 0 {
		return command.WithCode(err, command.ExitCode(cause), "something is left; run: plimsoll clean "+words.Shell(dir))
	}
	return errors.Join(command.WithCode(err, command.ExitCode(cause), ""), os.RemoveAll(dir))
}

func storageKeep(s *command.State, o *storageOptions, arg, dir string) error {
	run, err := rundir.Claim(dir)
	if err != nil {
		return err
	}
	defer run.Release()
	group, err := bringUp(s, o, arg, run, nil)
	if err != nil {
		return err
	}
	<-s.Context.Done()
	return group.Down(s.Context)
}

// bringUp brings up the pools of a file, or those that choose keeps.
func bringUp(s *command.State, o *storageOptions, arg string, run *rundir.Claimed, choose func(study.Pools) (study.Pools, error)) (*devicepool.Group, error) {
	all, err := readPools(s, o, arg)
	if err == nil && choose != nil {
		all, err = choose(all)
	}
	if err == nil {
		err = canHave(all)
	}
	if err != nil {
		return nil, err
	}
	return devicepool.Up(s.Context, devicepool.Config{
		Name: o.name, Dir: command.Absolute(run.Dir), RunID: run.ID, Version: version.Get(),
		Scratch: scratch(s, o, run),
		Pools:   all, Kinds: registry.Kinds(), Executable: s.Executable,
		Log:      slog.New(slog.NewTextHandler(s.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Progress: func(text string) { fmt.Fprintln(s.Stderr, text) },
	})
}

// scratch is the directory of pools that are brought up as a run.
func scratch(s *command.State, o *storageOptions, run *rundir.Claimed) string {
	return filepath.Join(s.WorkDir(o.work), journal.Name(run.ID))
}

func storageList(s *command.State, o *storageOptions) error {
	groups, err := devicepool.List(o.runs)
	if err != nil {
		return err
	}
	if s.JSON {
		if groups == nil {
			groups = []devicepool.State{}
		}
		return s.PrintJSON(groups)
	}
	if len(groups) == 0 {
		s.PrintWrapped("No pools are up in %s. Bring some up with: plimsoll storage up FILE", o.runs)
		return nil
	}
	printPools(s, groups)
	return nil
}

func printPools(s *command.State, groups []devicepool.State) {
	t := command.Table{Head: []string{"NAME", "POOL", "CLASS", "STATE", "VOLUME"}, Right: 5}
	for _, group := range groups {
		state := "up since " + group.Since.Local().Format(time.TimeOnly)
		if !group.Kept() {
			state = "supervisor died: plimsoll storage down " + group.Name
		}
		for _, p := range group.Pools {
			t.Row(group.Name, p.Name, p.Class, state, p.Volume.Path)
		}
	}
	s.PrintTable(t)
}

func storageDown(s *command.State, o *storageOptions, names []string) error {
	groups, err := devicepool.List(o.runs)
	if err != nil {
		return err
	}
	chosen, err := chooseGroups(groups, names)
	if err != nil {
		return err
	}
	all := []cleanup.Cleaned{}
	for _, group := range chosen {
		c, err := takeDown(s, group)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	return cleanup.Print(s, all)
}

func chooseGroups(groups []devicepool.State, names []string) ([]devicepool.State, error) {
	if len(names) == 0 {
		return groups, nil
	}
	var chosen []devicepool.State
	for _, name := range names {
		before := len(chosen)
		for _, group := range groups {
			if group.Name == name {
				chosen = append(chosen, group)
			}
		}
		if len(chosen) == before {
			return nil, command.WithCode(fmt.Errorf("no pools named %s", name), command.ExitUsage, "plimsoll storage list shows those that are up")
		}
	}
	return chosen, nil
}

// takeDown asks the supervisor to take its pools down, and then looks itself. The
// directory goes with them when nothing is left.
func takeDown(s *command.State, group devicepool.State) (cleanup.Cleaned, error) {
	if group.Kept() {
		_ = syscall.Kill(group.PID, syscall.SIGTERM) // gone already is as good
	}
	for group.Kept() {
		select {
		case <-s.Context.Done():
			return cleanup.Cleaned{}, s.Context.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	c, err := cleanup.Run(s, group.Dir, cleanup.Options{Parts: registry.Parts()})
	if err == nil && len(c.Failed)+len(c.Left) == 0 && !c.Busy {
		err = os.RemoveAll(group.Dir)
	}
	return c, err
}
