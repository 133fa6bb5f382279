package inspect

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/text/version"
)

func newVersion(s *command.State) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built from",
		Args:  command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if s.JSON {
				return s.PrintJSON(version.Read())
			}
			_, err := fmt.Fprintf(s.Stdout, "plimsoll %s\n", version.Read())
			return err
		},
	}
}
