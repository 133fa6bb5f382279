package machine

import (
	"errors"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/storage/medium"
)

// newMedium is the process behind a simulated disk. It is hidden because the
// storage class starts it.
func newMedium(s *command.State) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:    "medium --config FILE",
		Short:  "Serve a simulated medium as a block file",
		Hidden: true,
		Args:   command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if config == "" {
				return command.Usage(errors.New("medium: --config is required"))
			}
			return medium.Main(s.Context, config, s.Stdin, s.Stdout)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "file with the configuration (JSON)")
	return cmd
}
