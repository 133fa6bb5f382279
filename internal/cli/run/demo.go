package run

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// demoStudy is the built-in study that answers without any storage of the user's.
const demoStudy = "quickstart"

func newDemo(s *command.State) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "A first answer without storage of yours, in a few minutes",
		Long: `Demo runs the built-in study quickstart: real databases, as root on two simulated
disks, otherwise in memory and on the local disk. It leaves a run directory with the
results and report.html. It is the same as plimsoll run quickstart, whose help has
all flags and exit codes.`,
		Example: "  plimsoll demo\n  plimsoll demo --open\n  plimsoll demo --serve",
		Args:    command.ExactArgs(0),
		RunE:    func(*cobra.Command, []string) error { return runStudy(s, o, []string{demoStudy}) },
	}
	o.registerHere(cmd)
	return cmd
}
