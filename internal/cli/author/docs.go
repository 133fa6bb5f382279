package author

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/author/pages"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/study"
)

// newDocs writes the pages of the reference that follow from the program; `make site`
// calls it.
func newDocs(*command.State) *cobra.Command {
	return &cobra.Command{
		Use:    "docs DIR",
		Short:  "Write the pages on commands and on the fields of studies into DIR",
		Hidden: true,
		Args:   command.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			schema, err := study.Schema(facts.Vocabulary(registry.Parts()))
			if err != nil {
				return err
			}
			fields, err := pages.Fields(schema)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the directory of the pages: %w", err)
			}
			for name, text := range map[string]string{"commands.md": pages.Commands(c.Root()), "study-fields.md": fields} {
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(text), 0o644); err != nil {
					return fmt.Errorf("write a page: %w", err)
				}
			}
			return nil
		},
		ValidArgsFunction: command.CompleteDirectories,
	}
}
