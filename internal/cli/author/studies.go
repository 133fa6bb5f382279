package author

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/study"
	"plimsoll/studies"
)

type shippedStudy struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Profiles []string `json:"profiles,omitempty"`
}

func newStudies(s *command.State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "studies [NAME]",
		Short: "List the built-in studies, or print one",
		Long: `Studies lists the built-in studies. With a name it prints that study as YAML, a
good starting point for your own.`,
		Example: "  plimsoll studies\n  plimsoll studies quickstart > my-study.yaml",
		Args:    command.MaxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listStudies(s)
			}
			_, text, err := ReadStudy(s, args[0])
			if err != nil {
				return err
			}
			_, err = s.Stdout.Write(text)
			return err
		},
		ValidArgsFunction: CompleteStudies,
	}
	return cmd
}

func listStudies(s *command.State) error {
	var all []shippedStudy
	for _, name := range studies.Names() {
		text, err := studies.Read(name)
		if err != nil {
			return err
		}
		st, err := study.Parse(name+".yaml", text, "", facts.Vocabulary(registry.Parts()))
		if err != nil {
			return err
		}
		all = append(all, shippedStudy{Name: name, Title: st.Title, Profiles: study.Profiles(text)})
	}
	if s.JSON {
		return s.PrintJSON(all)
	}
	t := command.Table{Head: []string{"", ""}, Right: 2}
	for _, st := range all {
		t.Row(st.Name, st.Title)
		for _, p := range st.Profiles {
			t.Row("", "  --profile "+p)
		}
	}
	s.PrintTable(t)
	return nil
}
