package cli

import (
	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/study"
	"plimsoll/studies"
)

type shippedStudy struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Profiles []string `json:"profiles,omitempty"`
}

func newStudies(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "studies [NAME]",
		Short: "List the built-in studies, or print one",
		Long: `Studies lists the built-in studies. With a name it prints that study as YAML, a
good starting point for your own.`,
		Example: "  plimsoll studies\n  plimsoll studies quickstart > my-study.yaml",
		Args:    maxArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.listStudies()
			}
			_, text, err := s.readStudy(args[0])
			if err != nil {
				return err
			}
			_, err = s.Stdout.Write(text)
			return err
		},
		ValidArgsFunction: completeStudies,
	}
	return cmd
}

func (s *State) listStudies() error {
	var all []shippedStudy
	for _, name := range studies.Names() {
		text, err := studies.Read(name)
		if err != nil {
			return err
		}
		st, err := study.Parse(name+".yaml", text, "", campaign.Vocabulary(Parts()))
		if err != nil {
			return err
		}
		all = append(all, shippedStudy{Name: name, Title: st.Title, Profiles: study.Profiles(text)})
	}
	if s.JSON {
		return s.printJSON(all)
	}
	t := table{head: []string{"", ""}, right: 2}
	for _, st := range all {
		t.row(st.Name, st.Title)
		for _, p := range st.Profiles {
			t.row("", "  --profile "+p)
		}
	}
	s.printTable(t)
	return nil
}
