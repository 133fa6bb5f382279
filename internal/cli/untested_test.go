package cli

import (
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
)

// An engine that nobody could try is refused unless it is allowed by its name.
func TestUntestedEnginesAreRefused(t *testing.T) {
	s := newSite(t)
	t.Setenv("SQLSERVER_PASSWORD", "secret")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"plan sqlserver-ds2", command.ExitCannotRun, "--untested sqlserver"},
		{"plan sqlserver-ds2 --untested sqlserver", 0, "sqlserver"},
		{"plan sqlserver-ds2 --untested postgres", command.ExitUsage, `"postgres" is no untested engine; those are: sqlserver`},
	} {
		code, out, errs := s.plimsoll(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.args, code, c.code, c.want, out, errs)
		}
	}
}
