package machine

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/untrusted"
)

// newImaged is the service that moves images between stores. It is hidden because studies
// start it.
func newImaged(s *command.State) *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:    "imaged --config FILE",
		Short:  "Move images between stores",
		Hidden: true,
		Args:   command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if config == "" {
				return command.Usage(errors.New("imaged: --config is required"))
			}
			text, err := untrusted.ReadNamed(config, untrusted.MostInput)
			if err != nil {
				return err
			}
			var c imaged.Config
			if err := json.Unmarshal(text, &c); err != nil {
				return err
			}
			return imaged.Main(s.Context, c, s.Stdout)
		},
	}
	cmd.Flags().StringVar(&config, "config", "", "file with the configuration (JSON)")
	return cmd
}
