// Package run has the commands that carry out studies: plan, run and what goes with it, demo,
// try, runs that go on in a cluster, and clean.
package run

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// Commands are the commands of this package.
func Commands(s *command.State) []*cobra.Command {
	return []*cobra.Command{newTry(s), newDemo(s), newRun(s), newPlan(s), newAttach(s), newFetch(s), newClean(s)}
}
