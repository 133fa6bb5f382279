package apptest

import (
	"strings"
	"testing"

	"plimsoll/internal/app"
)

// Setting is one line of a study's engine.settings, with the server's expected reply.
type Setting struct {
	Name, Value string
	Reason      string // a part of it; empty when the server accepts the setting
	Hint        string // exactly
}

// JudgesSettings checks that an engine's server accepts or refuses each
// setting as expected.
func JudgesSettings(t *testing.T, engine app.Engine, settings map[string]Setting) {
	in, err := engine.Find(t.Context(), "", true)
	if err != nil {
		t.Skip(err)
	}
	for name, s := range settings {
		t.Run(name, func(t *testing.T) {
			found, err := engine.Capabilities().Config.CheckConfig(t.Context(), in, app.Config{Settings: map[string]string{s.Name: s.Value}})
			switch {
			case err != nil:
				t.Error(err)
			case s.Reason == "" && len(found) > 0:
				t.Errorf("refused: %+v", found)
			case s.Reason != "" && (len(found) != 1 || !strings.Contains(found[0].Text, s.Reason) || found[0].Hint != s.Hint):
				t.Errorf("got %+v, want %q and the hint %q", found, s.Reason, s.Hint)
			}
		})
	}
}

// KeepsWithin checks that an engine refuses settings that lead out of an instance, by
// their name and value alone, and that it does not refuse others.
func KeepsWithin(t *testing.T, engine app.ConfigChecker, refused, others map[string]string) {
	t.Helper()
	out := engine.Outward()
	for name, value := range refused {
		if problem := out.Refuse(name, value); problem == nil || problem.Text == "" || problem.Hint == "" {
			t.Errorf("%s = %s: %+v", name, value, problem)
		}
	}
	for name, value := range others {
		if problem := out.Refuse(name, value); problem != nil {
			t.Errorf("%s = %s is refused: %s", name, value, problem.Text)
		}
	}
}
