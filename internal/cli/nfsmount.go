package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"plimsoll/internal/storage/nfs"
)

// newNFSMount is the process behind a mount by NFS. It is hidden because the
// storage class starts it.
func newNFSMount(s *State) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:    "nfsmount --config FILE",
		Short:  "Mount an NFS export without the kernel's client",
		Hidden: true,
		Args:   exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if config == "" {
				return usage(errors.New("nfsmount: --config is required"))
			}
			return nfs.Main(s.Context, config)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "file with the configuration (JSON)")
	return cmd
}
