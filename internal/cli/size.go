package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/sizing"
	"plimsoll/internal/report"
	"plimsoll/internal/study"
)

func newSize(s *State) *cobra.Command {
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
		Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return s.size(runs, args[0]) },
	}
	cmd.Flags().StringVar(&runs, "runs", "runs", "directory that holds runs")
	return cmd
}

const demandHint = "a demand is a file that says what is to be carried; plimsoll size --help shows one"

func (s *State) size(runs, file string) error {
	file, text, err := s.readInput(file)
	if err != nil {
		return codedError{fmt.Errorf("read the demand: %w", err), exitUsage, demandHint}
	}
	if name := study.NameOf(text); name != "" {
		return codedError{fmt.Errorf("read the demand: %s is the study %s, and no demand", file, name), exitUsage, demandHint}
	}
	demand, err := sizing.ParseDemand(file, text)
	if err != nil {
		return usage(err)
	}
	bases, err := openBases(runs, demand.Basis)
	if err != nil {
		return err
	}
	answer, err := sizing.Size(demand, bases)
	if err != nil {
		return usage(err)
	}
	if err := s.printSizing(answer); err != nil {
		return err
	}
	if !answer.Met() {
		return silent(exitUnmet) // the reasons are in what was printed
	}
	return nil
}

func (s *State) printSizing(answer *sizing.Sizing) error {
	if s.JSON {
		return s.printJSON(answer)
	}
	return report.Sizing(s.Stdout, answer, s.width())
}

func openBases(runs string, of []sizing.BasisOf) ([]sizing.Basis, error) {
	var all []sizing.Basis
	for _, o := range of {
		run, err := openLean(runs, []string{o.Of})
		if err != nil {
			return nil, fmt.Errorf("basis %s: %w", o.Of, err)
		}
		a, err := analysis.Analyse(run, analysis.Options{})
		if err != nil {
			return nil, fmt.Errorf("basis %s: %w", o.Of, err)
		}
		basis, err := sizing.BasisFrom(a, o)
		if err != nil {
			return nil, usage(err)
		}
		all = append(all, basis)
	}
	return all, nil
}
