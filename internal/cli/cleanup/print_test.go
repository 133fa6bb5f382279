package cleanup

import (
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
)

// What was done about a run fits the terminal.
func TestOutputFitsTheTerminal(t *testing.T) {
	const name = "20261125-101500-数据库-with-a-long-name"
	commandtest.New(t).Fits(false, func(s *command.State) {
		err := Print(s, []Cleaned{{Run: name, Busy: true}, {Run: name, Elsewhere: true}, {Run: name,
			Removed: []string{"the process 4711, a server of the instance 3 of many"}, Failed: []string{"a mount: device or resource busy, held by 42"},
			Kept: []string{"the evidence of instance 3"}, Left: []string{"a control group that no register knows, if nobody needs it: rmdir it"}}})
		if command.ExitCode(err) != command.ExitLeft {
			t.Errorf("something is left: %v", err)
		}
	})
}
