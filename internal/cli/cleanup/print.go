package cleanup

import (
	"fmt"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/text/words"
)

// Print says what was done about runs. Its error ends the command where something is left.
func Print(s *command.State, all []Cleaned) error {
	left, alone := 0, 0
	for _, c := range all {
		left += len(c.Left) + len(c.Failed)
		if c.Busy || c.Elsewhere {
			alone++
		}
	}
	if s.JSON {
		if err := s.PrintJSON(all); err != nil || left == 0 {
			return err
		}
		return command.Silent(command.ExitLeft)
	}
	for _, c := range all {
		printCleanedRun(s, c)
	}
	if left > 0 {
		return command.WithCode(fmt.Errorf("%s could not be removed, listed above", words.Count(left, "thing")), command.ExitLeft, "run it again as the user that made them, or remove them by hand")
	}
	if alone > 0 && alone == len(all) {
		s.PrintWrapped("No run was cleaned: %s skipped, see above.", words.CountOf(alone, "run was", "runs were"))
		return nil
	}
	s.PrintWrapped("Nothing is left of %s: checked processes, mounts, loop devices, cgroups, network namespaces and temporary directories.", words.Count(len(all)-alone, "run"))
	return nil
}

func printCleanedRun(s *command.State, c Cleaned) {
	if c.Busy {
		s.PrintWrapped("%s: in progress, skipped", c.Run)
	}
	if c.Elsewhere {
		s.PrintWrapped("%s: made on another machine, skipped; if it was this one: plimsoll clean --force %s", c.Run, words.Shell(c.Run))
	}
	for _, r := range c.Removed {
		s.PrintWrapped("%s: removed %s", c.Run, r)
	}
	for _, f := range c.Forgotten {
		s.PrintWrapped("%s: forgot %s, which was not reached", c.Run, f)
	}
	for _, k := range c.Kept {
		s.PrintWrapped("%s: kept %s, the evidence of a failed audit; remove it with --evidence", c.Run, k)
	}
	for _, f := range c.Failed {
		s.Complain("%s: not removed: %s", c.Run, f)
	}
	for _, l := range c.Left {
		s.Complain("%s: still there: %s", c.Run, l)
	}
}
