// Package results has the commands that read runs: what they found, as a report, a table, a
// comparison or a page, and nothing of the machine that they ran on.
package results

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// Commands are the commands of this package.
func Commands(s *command.State) []*cobra.Command {
	return []*cobra.Command{newReport(s), newList(s), newShow(s), newWhy(s), newCompare(s), newExport(s), newSize(s), newServe(s)}
}
