package run

import (
	"errors"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/report"
)

func newPlan(s *command.State) *cobra.Command {
	var o studyOptions
	var ask bool
	cmd := &cobra.Command{
		Use:   "plan STUDY",
		Short: "Show every trial of a study in order, and what it needs",
		Long: `Plan is the dry run: it lists the trials in the order in which they would run,
with their duration, memory and disk space, and reports what does not fit on
this machine. Nothing is started. Existing servers that the study names are asked whether
a run can use them with --ask only, since that takes the passwords and keys that it names
to the hosts that it names; without, the plan says whom a run would ask, and with what.
So is a cluster whose kubeconfig file the study names; that of --kubeconfig, KUBECONFIG or
~/.kube/config is asked unless --offline is given: then the study is planned for the cluster or
machine that it describes (platform.described) and nothing is looked for here. STUDY is a
file, - for standard input, or the name of a built-in study.

Exit codes: 0 it can run; 2 the study has problems; 3 it cannot run here.`,
		Example: `  plimsoll plan quickstart
  plimsoll plan my-first.yaml --profile laptop
  plimsoll plan my-study.yaml --set load.users=16
  plimsoll plan my-study.yaml --profile published --offline
  plimsoll plan my-study.yaml --json`,
		Args: command.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.offline && ask {
				return command.Usage(errors.New("plan: --offline and --ask exclude each other; leave out --offline"))
			}
			o.silent = !ask
			p, _, err := makePlan(s.Context, s, registry.Parts(), o, args[0], facts.FetchLater)
			if err != nil {
				return err
			}
			if s.JSON {
				if err := s.PrintJSON(p); err != nil {
					return err
				}
				if len(p.Problems) > 0 {
					return command.Silent(command.ExitCannotRun)
				}
				return nil
			}
			if err := report.Plan(s.Stdout, p, s.Width); err != nil {
				return err
			}
			if len(p.Problems) > 0 {
				where := "run here"
				if o.offline {
					where = "run on what it describes"
				}
				return command.CannotRun(errors.New("the study cannot "+where+"; see the problems above"), "")
			}
			return nil
		},
	}
	o.register(cmd)
	o.registerWithin(cmd)
	cmd.Flags().BoolVar(&o.offline, "offline", false, "plan for the machine or cluster that the study describes (platform.described), and ask none")
	cmd.Flags().BoolVar(&ask, "ask", false, "ask the servers that the study names, with the passwords and keys that it names")
	return cmd
}
