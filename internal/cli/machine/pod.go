package machine

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/platform/kubernetes/pod"
)

// newPod returns the command that runs in pods. It is hidden because the platform calls it.
// docs/platform-kubernetes.md describes its subcommands, for anyone who looks into a pod.
func newPod(s *command.State) *cobra.Command {
	return &cobra.Command{
		Use:                "pod",
		Short:              "Do what the platform wants done inside a pod",
		Hidden:             true,
		DisableFlagParsing: true, // package pod has no need of this one's
		RunE: func(cmd *cobra.Command, arguments []string) error {
			if len(arguments) > 0 && arguments[0] == "--help" {
				return cmd.Help()
			}
			// Frames are no text: they do not go through the escaping of s.Stdout.
			err := pod.Main(s.Context, arguments, s.Stdin, os.Stdout)
			if errors.Is(err, pod.ErrEnded) {
				return command.Silent(1) // the log is the server's own
			}
			return err
		},
	}
}
