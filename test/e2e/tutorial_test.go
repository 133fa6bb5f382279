package e2e

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/test/docs"
	"plimsoll/test/nightly"
)

// Someone follows the tutorial from its first command to its last, with phases that are
// shorter than in the study that it writes.
func TestTutorial(t *testing.T) {
	nightly.Only(t, "internal/cli's TestGuides, which runs what does not measure, and TestTryAfterOneThatWasKilled")
	s, tried := newSite(t), newTried(t)
	blocks, _, err := docs.Blocks("../../docs/tutorial/first-answer.md")
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for _, b := range blocks {
		for _, c := range b.Commands() {
			args := strings.Fields(strings.ReplaceAll(c.Text, "/mnt/fast", tried.dir))
			if args[0] != "plimsoll" {
				t.Fatalf("line %d is no command of ours: %s", c.Line, c.Text)
			}
			s.followed(args[1:]...)
			followed++
		}
	}
	if followed < 5 {
		t.Errorf("followed only %d commands", followed)
	}
}

// followed runs a command of a page. A measurement of seconds, with other tests running, may be
// graded too low for a verdict.
func (s *site) followed(args ...string) {
	s.t.Helper()
	if args[0] == "run" {
		args = append(args, "--set", "phases.warmup=1s", "--set", "phases.measure=5s")
	}
	cmd := s.command(args...)
	out, err := cmd.CombinedOutput()
	const refused = 5
	if err != nil && !slices.Contains([]int{0, refused}, cmd.ProcessState.ExitCode()) {
		s.t.Fatalf("plimsoll %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
