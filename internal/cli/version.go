package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/internal/text/version"
)

func newVersion(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built from",
		Args:  exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if s.JSON {
				return s.printJSON(version.Read())
			}
			_, err := fmt.Fprintf(s.Stdout, "plimsoll %s\n", version.Read())
			return err
		},
	}
}
