// Package machine has the commands that work on a machine's storage, and the hidden ones that
// platforms, storage classes and engines start on a machine by themselves.
package machine

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// Commands are the commands of this package.
func Commands(s *command.State) []*cobra.Command {
	return []*cobra.Command{newStorage(s), newProbe(s), newTask(s), newPod(s), newMedium(s), newNFSMount(s), newImaged(s), newSink(s)}
}
