package inspect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

func newDoctor(s *command.State) *cobra.Command {
	var o place.Options
	var capabilities bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine can do, and how to fix what is missing",
		Long: `Doctor checks engines, privileges, devices, tools and space. Each missing
capability is listed with its effect on studies and the fix.

With --platform kubernetes it checks a cluster instead: how it is reached, what
this account may do there, what its storage classes can do, quotas and nodes.

With --capabilities it checks nothing and lists what each storage class, engine,
workload and platform has and lacks (docs/capabilities.md).

Exit codes: 0 the quickstart can run; 3 it cannot.`,
		Example: "  plimsoll doctor\n  plimsoll doctor --json\n  plimsoll doctor --platform kubernetes --context my-cluster",
		Args:    command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if capabilities {
				return printCapabilities(s)
			}
			checks, err := Checks(s, o)
			if err != nil {
				return err
			}
			if s.JSON {
				if err := s.PrintJSON(checks); err != nil {
					return err
				}
			} else {
				printChecks(s, checks)
			}
			for _, c := range checks {
				if c.Status == doctor.Fail {
					return command.Silent(command.ExitCannotRun)
				}
			}
			return nil
		},
	}
	o.Register(cmd)
	cmd.Flags().BoolVar(&capabilities, "capabilities", false, "list what each storage class, engine, workload and platform has and lacks")
	return cmd
}

func printCapabilities(s *command.State) error {
	all := registry.Capabilities()
	if s.JSON {
		return s.PrintJSON(all)
	}
	for _, p := range all {
		s.PrintWrapped("%s %s", p.Of, p.Name)
		s.PrintWrapped("      has: %s", cmp.Or(strings.Join(p.Has, "; "), "nothing of these"))
		s.PrintWrapped("      lacks: %s", cmp.Or(strings.Join(p.Lacks, "; "), "nothing of these"))
	}
	return nil
}

// Checks looks at this machine, or at the cluster that the flags choose.
func Checks(s *command.State, o place.Options) ([]doctor.Check, error) {
	parts, elsewhere, err := place.PartsFor(o)
	if err != nil {
		return nil, err
	}
	if !elsewhere {
		return append(machine.Doctor(s.Context, machine.DoctorOptions{Work: s.WorkDir(""), Checkers: registry.Checkers(registry.Parts())}), cacheCheck(s)), nil
	}
	c := parts.Platform.Capabilities().Checker
	if c == nil {
		return nil, command.Usage(fmt.Errorf("doctor: there are no checks of the platform %s", parts.Platform.Name()))
	}
	return c.Checks(s.Context), nil
}

// cacheCheck lists what runs leave behind on purpose.
func cacheCheck(s *command.State) doctor.Check {
	dir := s.CacheDir("")
	n, bytes, err := registry.Parts().Platform.Kept(dir).Size(s.Context)
	if err != nil {
		return doctor.Check{Name: "cache", Status: doctor.Warn, Found: err.Error()}
	}
	return doctor.Check{Name: "cache", Status: doctor.OK,
		Found: fmt.Sprintf("%s, %s, in %s; plimsoll clean --golden removes them", words.Count(n, "golden volume"), unit.Bytes(bytes).Rough(), dir)}
}

func printChecks(s *command.State, checks []doctor.Check) {
	for _, c := range checks {
		mark := map[doctor.Status]string{doctor.OK: "ok  ", doctor.Warn: "warn", doctor.Fail: "FAIL"}[c.Status]
		s.PrintWrapped("%s  %s: %s", mark, c.Name, c.Found)
		if c.Status == doctor.OK {
			continue
		}
		if c.Means != "" {
			s.PrintWrapped("      %s", c.Means)
		}
		if c.Fix != "" {
			s.PrintWrapped("      fix: %s", c.Fix)
		}
	}
}
