package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/machine"
	"plimsoll/internal/study"
)

func newDoctor(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine can do, and how to fix what is missing",
		Long: `Doctor checks engines, privileges, devices, tools and space. Each missing
capability is listed with its effect on studies and the fix.

Exit codes: 0 the quickstart can run; 3 it cannot.`,
		Example: "  plimsoll doctor\n  plimsoll doctor --json",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			checks := append(machine.Doctor(s.Context, machine.DoctorOptions{Work: s.workDir("")}), s.cacheCheck())
			if s.JSON {
				if err := s.printJSON(checks); err != nil {
					return err
				}
			} else {
				s.printChecks(checks)
			}
			for _, c := range checks {
				if c.Status == machine.Fail {
					return silent(exitCannotRun)
				}
			}
			return nil
		},
	}
}

// cacheCheck tells what runs leave behind on purpose.
func (s *State) cacheCheck() machine.Check {
	dir := s.cacheDir("")
	n, bytes, err := campaign.GoldenSize(dir)
	if err != nil {
		return machine.Check{Name: "cache", Status: machine.Warn, Found: err.Error()}
	}
	return machine.Check{Name: "cache", Status: machine.OK,
		Found: fmt.Sprintf("%s, %s, in %s; plimsoll clean --golden removes them", count(n, "golden volume"), study.Bytes(bytes).Rough(), dir)}
}

func (s *State) printChecks(checks []machine.Check) {
	for _, c := range checks {
		mark := map[machine.Status]string{machine.OK: "ok  ", machine.Warn: "warn", machine.Fail: "FAIL"}[c.Status]
		fmt.Fprintf(s.Stdout, "%s  %s: %s\n", mark, c.Name, c.Found)
		if c.Status == machine.OK {
			continue
		}
		if c.Means != "" {
			fmt.Fprintf(s.Stdout, "      %s\n", c.Means)
		}
		if c.Fix != "" {
			fmt.Fprintf(s.Stdout, "      fix: %s\n", c.Fix)
		}
	}
}
