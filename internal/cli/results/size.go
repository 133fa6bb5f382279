package results

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/sizing"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/report"
	"plimsoll/internal/study"
)

func newSize(s *command.State) *cobra.Command {
	var runs string
	cmd := &cobra.Command{
		Use:   "size DEMAND",
		Short: "Propose configurations that meet a demand",
		Long: `Size reads a demand (a YAML file: instances, profile, capacity, growth, failures
to survive) and measured or published load lines, and proposes configurations
with nodes, drives, usable capacity, load line and price. Every rule that was
applied is shown with its source.

A demand for users, such as the accelerators that the ladder of ai-training counts,
is answered with drives: how many of those that runs were measured on carry them.

Exit codes: 0 proposed; 2 the demand has problems; 9 no configuration meets it,
and the text says why.`,
		Example: `  plimsoll size demand.yaml

  # demand.yaml
  demand: shops
  instances: 120
  profile: database
  capacity: 40GB
  growth: 20%
  years: 3
  survive: 1
  basis:
    - {of: runs/20261121-101500-ladder, variant: ssd, nodes: 3}

  # or, for drives that feed accelerators
  demand: training
  users: 64
  headroom: 20%
  basis:
    - {of: runs/20261127-101500-ai-training, variant: ssd}`,
		Args: command.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return sizeDemand(s, runs, args[0]) },
	}
	cmd.ValidArgsFunction = command.CompleteFiles
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	return cmd
}

const demandHint = "a demand is a file that says what is to be carried; plimsoll size --help shows one"

func sizeDemand(s *command.State, runs, file string) error {
	file, text, err := s.ReadInput(file)
	if err != nil {
		return command.WithCode(fmt.Errorf("read the demand: %w", err), command.ExitUsage, demandHint)
	}
	if name := study.NameOf(text); name != "" {
		return command.WithCode(fmt.Errorf("read the demand: %s is the study %s, and no demand", file, name), command.ExitUsage, demandHint)
	}
	demand, err := sizing.ParseDemand(file, text)
	if err != nil {
		return command.Usage(err)
	}
	bases, err := openBases(runs, demand.Basis)
	if err != nil {
		return err
	}
	answer, err := sizing.Size(demand, bases)
	if err != nil {
		return command.Usage(err)
	}
	if err := printSizing(s, answer); err != nil {
		return err
	}
	if !answer.Met() {
		return command.Silent(command.ExitUnmet) // the reasons are in what was printed
	}
	return nil
}

func printSizing(s *command.State, answer *sizing.Sizing) error {
	if s.JSON {
		return s.PrintJSON(answer)
	}
	return report.Sizing(s.Stdout, answer, s.Columns())
}

func openBases(runs string, of []sizing.BasisOf) ([]sizing.Basis, error) {
	var all []sizing.Basis
	for _, o := range of {
		run, err := rundir.OpenLean(runs, []string{o.Of})
		if err != nil {
			return nil, fmt.Errorf("basis %s: %w", o.Of, err)
		}
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			return nil, fmt.Errorf("basis %s: %w", o.Of, err)
		}
		basis, err := sizing.BasisFrom(a, o)
		if err != nil {
			return nil, command.Usage(err)
		}
		all = append(all, basis)
	}
	return all, nil
}
