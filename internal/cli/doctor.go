package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll/internal/campaign"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

func newDoctor(s *State) *cobra.Command {
	var o platformOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine can do, and how to fix what is missing",
		Long: `Doctor checks engines, privileges, devices, tools and space. Each missing
capability is listed with its effect on studies and the fix.

With --platform kubernetes it checks a cluster instead: how it is reached, what
this account may do there, what its storage classes can do, quotas and nodes.

Exit codes: 0 the quickstart can run; 3 it cannot.`,
		Example: "  plimsoll doctor\n  plimsoll doctor --json\n  plimsoll doctor --platform kubernetes --context my-cluster",
		Args:    exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			checks, err := s.checks(o)
			if err != nil {
				return err
			}
			if s.JSON {
				if err := s.printJSON(checks); err != nil {
					return err
				}
			} else {
				s.printChecks(checks)
			}
			for _, c := range checks {
				if c.Status == doctor.Fail {
					return silent(exitCannotRun)
				}
			}
			return nil
		},
	}
	o.register(cmd)
	return cmd
}

// checks looks at this machine, or at the cluster that the flags choose.
func (s *State) checks(o platformOptions) ([]doctor.Check, error) {
	parts, elsewhere, err := s.partsFor(o)
	if err != nil {
		return nil, err
	}
	if !elsewhere {
		return append(machine.Doctor(s.Context, machine.DoctorOptions{Work: s.workDir(""), Checkers: checkers(Parts())}), s.cacheCheck()), nil
	}
	c, ok := parts.Platform.(doctor.Checker)
	if !ok {
		return nil, usage(fmt.Errorf("doctor: there are no checks of the platform %s", parts.Platform.Name()))
	}
	return c.Checks(s.Context), nil
}

// checkers are the kinds that need something of the machine, engines first.
func checkers(parts campaign.Parts) []doctor.Checker {
	all := checkersIn(parts.Engines)
	all = append(all, checkersIn(parts.Kinds)...)
	all = append(all, checkersIn(parts.Workloads)...)
	return append(all, checkersIn(map[string]platform.Kind{"": parts.Platform})...)
}

func checkersIn[K any](kinds map[string]K) (all []doctor.Checker) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if c, ok := any(kinds[name]).(doctor.Checker); ok {
			all = append(all, c)
		}
	}
	return all
}

// cacheCheck lists what runs leave behind on purpose.
func (s *State) cacheCheck() doctor.Check {
	dir := s.cacheDir("")
	n, bytes, err := Parts().Platform.Kept(dir).Size(s.Context)
	if err != nil {
		return doctor.Check{Name: "cache", Status: doctor.Warn, Found: err.Error()}
	}
	return doctor.Check{Name: "cache", Status: doctor.OK,
		Found: fmt.Sprintf("%s, %s, in %s; plimsoll clean --golden removes them", words.Count(n, "golden volume"), unit.Bytes(bytes).Rough(), dir)}
}

func (s *State) printChecks(checks []doctor.Check) {
	for _, c := range checks {
		mark := map[doctor.Status]string{doctor.OK: "ok  ", doctor.Warn: "warn", doctor.Fail: "FAIL"}[c.Status]
		s.printWrapped("%s  %s: %s", mark, c.Name, c.Found)
		if c.Status == doctor.OK {
			continue
		}
		if c.Means != "" {
			s.printWrapped("      %s", c.Means)
		}
		if c.Fix != "" {
			s.printWrapped("      fix: %s", c.Fix)
		}
	}
}
