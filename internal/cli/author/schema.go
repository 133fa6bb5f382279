package author

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/report"
	"plimsoll/internal/study"
)

func newSchema(s *command.State) *cobra.Command {
	names := append([]string{"study"}, report.SchemaNames()...)
	return &cobra.Command{
		Use:   "schema [study|report|comparison|sizing]",
		Short: "Print the JSON Schema of a study file or of a JSON output",
		Long: `Schema prints a JSON Schema (draft 2020-12): that of study files, for completion
and checks in an editor, or that of what a command writes with --json, in which
every field is described: report (plimsoll report), comparison (plimsoll compare)
and sizing (plimsoll size).`,
		Example: `  plimsoll schema > study.schema.json
  plimsoll schema report > report.schema.json`,
		Args:      command.MaxArgs(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schemaOf(append(args, "study")[0], names)
			if err != nil {
				return err
			}
			_, err = s.JSONOut().Write(append(bytes.TrimSpace(text), '\n'))
			return err
		},
	}
}

func schemaOf(name string, names []string) ([]byte, error) {
	if !slices.Contains(names, name) {
		return nil, command.WithCode(fmt.Errorf("unknown schema %q; choose one of %s", name, strings.Join(names, ", ")), command.ExitUsage,
			strings.TrimSpace(command.DidYouMean(name, names)))
	}
	if name == "study" {
		return study.Schema(facts.Vocabulary(registry.Parts()))
	}
	return report.Schema(name)
}
