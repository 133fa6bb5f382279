package results

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report"
)

func newWhy(s *command.State) *cobra.Command {
	var runs string
	cmd := &cobra.Command{
		Use:   "why [RUN]",
		Short: "Show what the verdict of a run rests on",
		Long: `Why prints the chain from a run's verdict to its evidence: for each variant the
verdict, the objectives and the trials that decide it, the bottleneck with its
figures and the experiment that would prove it, or what that showed where run
--confirm has measured it; then the audit, and the grade with each doubt and
what would shrink it. All of it is in the report, too. RUN is a run or a
published result (reference/NAME); the default is the newest run.`,
		Example: "  plimsoll why\n  plimsoll why runs/20261121-101500-quickstart\n  plimsoll why reference/library-transfer --json",
		Args:    command.MaxArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return printWhy(s, runs, args) },
	}
	cmd.ValidArgsFunction = rundir.Complete(&runs, 1)
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	return cmd
}

func printWhy(s *command.State, runs string, args []string) error {
	run, err := rundir.OpenLean(runs, args)
	if err != nil {
		return err
	}
	a, err := analyseAgainst(run, analysis.Options{Running: run.Dir != "" && rundir.InProgress(run.Dir)}, references{runs: runs})
	if a == nil {
		return err
	}
	if err := AddConfirmed(run, a); err != nil {
		s.Complain("%s", err)
	}
	if s.JSON {
		return report.WhyJSON(s.JSONOut(), a)
	}
	return report.Why(s.Stdout, a, s.Columns(), s.Colour())
}
