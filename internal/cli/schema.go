package cli

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/study"
)

func newSchema(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a study file",
		Long: `Schema prints the JSON Schema (draft 2020-12) of study files, for completion and
checks in an editor.`,
		Example: "  plimsoll schema > study.schema.json",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			text, err := study.Schema(campaign.Vocabulary(s.parts()))
			if err != nil {
				return err
			}
			_, err = s.Stdout.Write(append(text, '\n'))
			return err
		},
	}
}
