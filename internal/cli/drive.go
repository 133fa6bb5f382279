package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"plimsoll/internal/load"
	"plimsoll/internal/medium"
)

// newDrive is the process that plays users. It is hidden because a campaign
// starts it.
func newDrive(s *State) *cobra.Command {
	var job string
	cmd := &cobra.Command{
		Use:    "drive --job FILE",
		Short:  "Run the users of a job file against instances",
		Hidden: true,
		Args:   exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if job == "" {
				return usage(errors.New("drive: --job is required"))
			}
			return load.Main(s.Context, job, workloads())
		},
	}
	cmd.Flags().StringVar(&job, "job", "", "file with the job (JSON, mode 0600); - is standard input")
	return cmd
}

// newMedium is the process behind a simulated disk. It is hidden because the
// storage class starts it.
func newMedium(s *State) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:    "medium --config FILE",
		Short:  "Serve a simulated medium as a block file",
		Hidden: true,
		Args:   exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if config == "" {
				return usage(errors.New("medium: --config is required"))
			}
			return medium.Main(s.Context, config, s.Stdin, s.Stdout)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "file with the configuration (JSON)")
	return cmd
}
