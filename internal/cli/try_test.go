package cli

import (
	"os"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
)

// A path that cannot be tried is refused with the reason, and nothing is made.
func TestTryRefuses(t *testing.T) {
	s := newSite(t)
	s.Write("file", "")
	for _, dir := range []string{"blocked", "linked", "elsewhere"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.Write("blocked/runs", "in the way")
	if err := os.Symlink("../elsewhere", "linked/runs"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"nowhere"}, "try: nowhere does not exist"},
		{[]string{"file"}, "try: file is not a directory"},
		{[]string{"blocked"}, "blocked/runs is in the way"},
		{[]string{"linked"}, "linked/runs is in the way"},
		{[]string{"a\nb"}, "control characters"},
		{[]string{"/proc"}, "/proc cannot be written to"},
		{[]string{".", "--limit", "200"}, "--limit: "},
		{nil, "try takes 1 argument, not 0"},
	} {
		code, out, errs := s.plimsoll(append([]string{"try"}, c.args...)...)
		if code != command.ExitUsage || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%v: code %d, %s%s", c.args, code, out, errs)
		}
	}
	if left, _ := os.ReadDir("elsewhere"); len(left) > 0 || command.Exists("runs") {
		t.Errorf("something was made: %v", left)
	}
}
