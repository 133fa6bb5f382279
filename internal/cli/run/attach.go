package run

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/platform/kubernetes/detach"
)

func newAttach(s *command.State) *cobra.Command {
	var o place.Home
	var stop bool
	cmd := &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Follow a run that goes on in a cluster (run --detach)",
		Long: `Attach shows what a detached run has written and writes, until it ends. Ctrl-C
ends the showing, not the run. Without an argument it lists the detached runs.

--stop interrupts the run, as Ctrl-C does in a terminal: what it made is taken
down, and finished trials are kept. plimsoll run --detach --resume RUN continues it.

Exit codes: that of the run (see plimsoll run --help); 3 the cluster cannot be
reached; 130 interrupted.`,
		Example: "  plimsoll attach\n  plimsoll attach 20261122-101500-my-study\n  plimsoll attach 20261122-101500-my-study --stop",
		Args:    command.MaxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			home, err := place.Connect(s, o)
			switch {
			case err != nil:
				return err
			case len(args) == 0 && stop:
				return command.Usage(errors.New("attach: --stop needs the name of a run"))
			case len(args) == 0:
				return listDetached(s, home)
			case stop:
				return home.Stop(s.Context, args[0])
			}
			return attach(s, home, args[0])
		},
	}
	o.Register(cmd)
	o.RegisterCluster(cmd)
	cmd.Flags().BoolVar(&stop, "stop", false, "interrupt the run and wait until it has taken everything down")
	return cmd
}

func attach(s *command.State, home detach.Home, run string) error {
	code, err := home.Attach(s.Context, run, s.Stdout)
	if err != nil {
		if s.Context.Err() != nil {
			return command.WithCode(fmt.Errorf("no longer attached to %s, which goes on", run), command.ExitInterrupted, "plimsoll attach "+run)
		}
		return err
	}
	s.Complain("bring it home with: %s", s.Spoken("plimsoll fetch "+run+where(home)))
	if code != 0 {
		return command.Silent(code)
	}
	return nil
}

func listDetached(s *command.State, home detach.Home) error {
	all, err := home.List(s.Context)
	if err != nil {
		return err
	}
	if s.JSON {
		return s.PrintJSON(all)
	}
	if len(all) == 0 {
		s.PrintWrapped("There are no detached runs in namespace %s.", home.Namespace)
		return nil
	}
	t := command.Table{Head: []string{"RUN", "STATE"}, Right: 2}
	for _, r := range all {
		t.Row(r.Run, string(r.State))
	}
	s.PrintTable(t)
	return nil
}

// where is the flag that names a home's namespace, where that is needed.
func where(home detach.Home) string {
	if home.Namespace == place.HomeNamespace {
		return ""
	}
	return " --job-namespace " + home.Namespace
}
