// Package author has the commands that write what others read: studies and their schema, manual
// pages and the image for Kubernetes. It finds the study that an argument names.
package author

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// Commands are the commands of this package.
func Commands(s *command.State) []*cobra.Command {
	return []*cobra.Command{newStudies(s), newStudy(s), newSchema(s), newImage(s), newMan(s), newDocs(s)}
}
