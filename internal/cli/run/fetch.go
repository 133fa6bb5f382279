package run

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/rundir"
)

func newFetch(s *command.State) *cobra.Command {
	var o place.Home
	var runs string
	cmd := &cobra.Command{
		Use:   "fetch RUN",
		Short: "Bring the directory of a detached run home",
		Long: `Fetch copies the run directory of a detached run to the directory of runs, over
the cluster's API. It is then like that of any other run: report, show and compare take
it, and run --resume --adopt continues it here. That of a run in progress is as it is
now.

Exit codes: 0 fetched; 1 no such run, or the directory is there already; 3 the cluster
cannot be reached.`,
		Example: "  plimsoll fetch 20261122-101500-my-study\n  plimsoll report runs/20261122-101500-my-study",
		Args:    command.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := rundir.CheckName(args[0]); err != nil {
				return err
			}
			home, err := place.Connect(s, o)
			if err != nil {
				return err
			}
			to := filepath.Join(runs, args[0])
			if err := home.Fetch(s.Context, args[0], to); err != nil {
				return err
			}
			return printFetched(s, to)
		},
	}
	o.Register(cmd)
	o.RegisterCluster(cmd)
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	_ = cmd.MarkFlagDirname("runs")
	return cmd
}

func printFetched(s *command.State, dir string) error {
	if s.JSON {
		return s.PrintJSON(map[string]string{"run": dir})
	}
	_, err := fmt.Fprintln(s.Stdout, dir)
	return err
}
