package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
)

// Names that kubectl looks for in PATH: `kubectl plimsoll` calls the first, and
// completion of its arguments the second. Both are this program.
const (
	pluginName     = "kubectl-plimsoll"
	completionName = "kubectl_complete-plimsoll"
)

// completes gives the arguments of cobra's own command where kubectl asks what may
// come next.
func completes(s *command.State, args []string) []string {
	if filepath.Base(s.Called) != completionName {
		return args
	}
	return append([]string{cobra.ShellCompRequestCmd}, args...)
}

// asPlugin has help and errors speak of `kubectl plimsoll` where that is what was
// typed.
func asPlugin(s *command.State, root *cobra.Command) {
	if filepath.Base(s.Called) != pluginName {
		return
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	s.SpeakAsPlugin(names)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl plimsoll"}
	translate(s, root)
}

func translate(s *command.State, c *cobra.Command) {
	c.Short, c.Long, c.Example = s.Spoken(c.Short), s.Spoken(c.Long), s.Spoken(c.Example)
	for _, below := range c.Commands() {
		translate(s, below)
	}
}
