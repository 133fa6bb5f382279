// Package pages writes pages of the documentation from what the program says of itself:
// its commands with their flags, and the fields of study files.
package pages

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Commands is a page of all commands below root that people use, in Markdown.
func Commands(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nEvery command prints this with `--help`. [Exit codes](../exit-codes.md) are the same for all.\n")
	all := visible(root)
	b.WriteString("\n| command | what it does |\n|---|---|\n")
	for _, c := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), escaped(c.Short))
	}
	for _, c := range all {
		command(&b, c)
	}
	if flags := root.PersistentFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(&b, "\n## Flags of every command\n\n```text\n%s```\n", flags)
	}
	return b.String()
}

// visible are the commands below c that its help shows, each before those below it.
func visible(c *cobra.Command) (all []*cobra.Command) {
	for _, below := range c.Commands() {
		if !below.IsAvailableCommand() || below.Name() == "help" {
			continue
		}
		all = append(all, below)
		if below.Name() != "completion" { // its shells differ in nothing
			all = append(all, visible(below)...)
		}
	}
	return all
}

func command(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n```text\n%s\n```\n\n", c.CommandPath(), c.UseLine())
	text := c.Long
	if text == "" {
		text = c.Short
	}
	b.WriteString(paragraphs(text) + "\n")
	if c.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindented(c.Example))
	}
	if flags := c.NonInheritedFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(b, "\n```text\n%s```\n", flags)
	}
}

// unindented takes two spaces from the beginning of each line, which help has for examples.
func unindented(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(text, "\n  ", "\n"), "  ")
}

// paragraphs is plain text as Markdown: indented lines are blocks that keep their lines.
func paragraphs(text string) string {
	var out []string
	inBlock := false
	for line := range strings.SplitSeq(text, "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != inBlock {
			out = append(out, "")
		}
		if inBlock = indented; indented {
			line = "    " + line
		} else {
			line = escaped(line)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// escaped escapes text so that Markdown takes none of it for markup.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `<`, `\<`, `*`, `\*`, `_`, `\_`, `|`, `\|`, "`", "\\`").Replace(text)
}
