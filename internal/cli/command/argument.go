package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// ExactArgs is cobra.ExactArgs with an error that shows how the command is
// used.
func ExactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(c, args); err != nil {
			return Usage(fmt.Errorf("%s takes %s, not %d; usage: %s", c.Name(), words.Count(n, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}

// MaxArgs is cobra.MaximumNArgs with an error that shows how the command is used.
func MaxArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := cobra.MaximumNArgs(n)(c, args); err != nil {
			return Usage(fmt.Errorf("%s takes at most %s, not %d; usage: %s", c.Name(), words.Count(n, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}

// DidYouMean is the beginning of a hint: the nearest of the known names, if
// one is near.
func DidYouMean(name string, known []string) string {
	near := study.Nearest(name, known)
	if near == "" {
		return ""
	}
	return "did you mean " + near + "? "
}

// CompleteFiles proposes files.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// CompleteDirectories proposes directories.
func CompleteDirectories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// FlagValue is the value of a flag as a command line has it; empty where the command has no such flag.
func FlagValue(c *cobra.Command, flag string) string {
	if f := c.Flag(flag); f != nil {
		return strings.TrimSpace(f.Value.String())
	}
	return ""
}

// KnownBelow refuses an unknown subcommand.
func KnownBelow(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range c.Commands() {
		names = append(names, below.Name())
	}
	return WithCode(fmt.Errorf("%s has no command %q", c.CommandPath(), args[0]), ExitUsage, DidYouMean(args[0], names)+c.CommandPath()+" --help lists its commands")
}
