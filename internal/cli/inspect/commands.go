// Package inspect has the commands that look at this machine and this program: what can be
// measured here, what is missing, and what somebody who helps needs to know.
package inspect

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// Commands are the commands of this package.
func Commands(s *command.State) []*cobra.Command {
	return []*cobra.Command{newDoctor(s), newSetup(s), newAskForHelp(s), newVersion(s)}
}
