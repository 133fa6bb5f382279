package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"plimsoll/internal/version"
)

func newVersion(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if s.JSON {
				return s.printJSON(map[string]string{"version": version.Get(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := fmt.Fprintf(s.Stdout, "plimsoll %s %s %s/%s\n", version.Get(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
