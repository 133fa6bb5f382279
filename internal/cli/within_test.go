package cli

import (
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
)

// A time bounds a search, and nothing else; a study may carry it, and the command line has
// the last word.
func TestWithin(t *testing.T) {
	s := newSite(t)
	list := s.Write("list.yaml", small)
	search := s.Write("search.yaml", strings.Replace(small, "[1, 2]", "auto", 1))
	timed := s.Write("timed.yaml", strings.Replace(small, "[1, 2]", "{auto: {within: 50m}}", 1))
	for _, c := range []struct {
		study, within string
		want          string
		refused       bool
	}{
		{search, "40m", "within 40 min, the search gets", false},
		{timed, "0", "within 50 min, the search gets", false},
		{timed, "40m", "within 40 min, the search gets", false},
		{search, "-4m", "is negative", true},
		{list, "4m", "the ladder of the study is a list", true},
	} {
		code, out, errs := s.plimsoll("plan", c.study, "--within", c.within)
		if all := strings.Join(strings.Fields(out+errs), " "); c.refused != (code == command.ExitUsage) || !strings.Contains(all, c.want) {
			t.Errorf("--within %s: exit code %d, %q is not in %s", c.within, code, c.want, all)
		}
	}
}
