package machine

import (
	"errors"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/storage/nfs"
)

// newNFSMount is the process behind a mount by NFS. It is hidden because the
// storage class starts it.
func newNFSMount(s *command.State) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:    "nfsmount --config FILE",
		Short:  "Mount an NFS export without the kernel's client",
		Hidden: true,
		Args:   command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if config == "" {
				return command.Usage(errors.New("nfsmount: --config is required"))
			}
			return nfs.Main(s.Context, config)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "file with the configuration (JSON)")
	return cmd
}
