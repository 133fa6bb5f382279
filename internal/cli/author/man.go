package author

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/text/version"
)

// newMan writes manual pages, for packagers; `make man` calls it.
func newMan(*command.State) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write a manual page of each command into DIR",
		Hidden: true,
		Args:   command.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the directory of the manual pages: %w", err)
			}
			root := c.Root()
			root.DisableAutoGenTag = true // the same pages on any day
			asMarkdown(root)
			header := &doc.GenManHeader{Section: "1", Source: "Plimsoll " + version.Get(), Manual: "Plimsoll"}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
		ValidArgsFunction: command.CompleteDirectories,
	}
}

// asMarkdown has the texts of a command, and of those below it, read as Markdown, which
// is how the pages are made, say the same as plain text.
func asMarkdown(c *cobra.Command) {
	c.Short, c.Long = plainMarkdown(c.Short), plainMarkdown(c.Long)
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = plainMarkdown(f.Usage) })
	for _, below := range c.Commands() {
		asMarkdown(below)
	}
}

// plainMarkdown escapes a text; indented lines become a block that keeps its lines.
func plainMarkdown(text string) string {
	var out []string
	inBlock := false
	for line := range strings.SplitSeq(text, "\n") {
		switch indented := strings.HasPrefix(line, "  "); {
		case indented && !inBlock:
			out = append(out, "", "    "+line)
			inBlock = true
		case indented:
			out = append(out, "    "+line)
		default:
			out = append(out, strings.NewReplacer(`<`, `\<`, `*`, `\*`, `_`, `\_`).Replace(line))
			inBlock = false
		}
	}
	return strings.Join(out, "\n")
}
