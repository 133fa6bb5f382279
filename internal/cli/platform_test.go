package cli

import (
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
)

func TestThePlatformOfTheCommandLine(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"plan", "quickstart", "--platform", "local"}, 0, ""},
		{[]string{"plan", "quickstart", "--platform", "moon"}, command.ExitUsage, `unknown platform "moon"`},
		{[]string{"plan", "quickstart", "--context", "prod"}, command.ExitUsage, "--image are for a cluster; the platform is local"},
		{[]string{"plan", "quickstart", "--image", "postgres=postgres:17"}, command.ExitUsage, "--image are for a cluster; the platform is local"},
	} {
		code, _, stderr := s.plimsoll(c.args...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: exit code %d, %s", c.args, code, stderr)
		}
	}
}
