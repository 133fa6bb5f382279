package cli

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Names that kubectl looks for in PATH: `kubectl plimsoll` calls the first, and
// completion of its arguments the second. Both are this program.
const (
	pluginName     = "kubectl-plimsoll"
	completionName = "kubectl_complete-plimsoll"
)

// completes gives the arguments of cobra's own command where kubectl asks what may
// come next.
func (s *State) completes(args []string) []string {
	if filepath.Base(s.Called) != completionName {
		return args
	}
	return append([]string{cobra.ShellCompRequestCmd}, args...)
}

// asPlugin has help and errors speak of `kubectl plimsoll` where that is what was
// typed.
func (s *State) asPlugin(root *cobra.Command) {
	if filepath.Base(s.Called) != pluginName {
		return
	}
	names := []string{"--[a-z]+"}
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	s.invocation = regexp.MustCompile(`(?:kubectl )?\bplimsoll (` + strings.Join(names, "|") + `)\b`)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl plimsoll"}
	s.translate(root)
}

func (s *State) translate(c *cobra.Command) {
	c.Short, c.Long, c.Example = s.spoken(c.Short), s.spoken(c.Long), s.spoken(c.Example)
	for _, below := range c.Commands() {
		s.translate(below)
	}
}

// spoken puts the commands that a text names as they would be typed.
func (s *State) spoken(text string) string {
	if s.invocation == nil {
		return text
	}
	return s.invocation.ReplaceAllString(text, "kubectl plimsoll $1")
}
