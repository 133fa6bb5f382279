package apptest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

func (b Bench) describes(t *testing.T) {
	if b.In.Engine != b.Engine.Name() || b.In.Version == "" || b.In.Source == "" {
		t.Errorf("installation %+v", b.In)
	}
	for program, path := range b.In.Paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", program, err)
		}
	}
	c := b.Config("estimate")
	if m := b.Engine.Memory(c); m <= 0 || m > c.Limits.Memory {
		t.Errorf("memory estimate %d with a limit of %d", m, c.Limits.Memory)
	}
	c.Limits = describe.Limits{}
	if b.Engine.Memory(c) <= 0 {
		t.Error("no memory estimate without a limit")
	}
}

func (b Bench) missingVersion(t *testing.T) {
	for _, version := range []string{"0.1", "99"} {
		_, err := b.Engine.Find(t.Context(), version, false)
		if err == nil {
			t.Fatalf("found version %s", version)
		}
		if !strings.Contains(err.Error(), "install") && !strings.Contains(err.Error(), "is not supported: use ") {
			t.Errorf("the error does not help: %v", err)
		}
	}
}

// RefusesInstallations has an engine choose a version from lists of unsuitable
// installations. Each refusal must contain the key of its list.
func RefusesInstallations(t *testing.T, choose func(found []app.Installation, version string) (app.Installation, error), version string, found map[string][]app.Installation) {
	t.Helper()
	for want, all := range found {
		if _, err := choose(all, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the refusal says nothing of %q: %v", want, err)
		}
	}
}

// judgesConfig tries what every server refuses; the real ones of an engine are in
// its own tests.
func (b Bench) judgesConfig(t *testing.T) {
	checker := b.Engine.Capabilities().Config
	if checker == nil {
		t.Skip("the engine cannot judge a configuration")
	}
	c := b.Config("checked")
	if found, err := checker.CheckConfig(t.Context(), b.In, c); err != nil || len(found) > 0 {
		t.Errorf("a usual configuration: %v, %v", found, err)
	}
	c.Settings = map[string]string{"no_such_setting_at_all": "1"}
	c.Limits.Memory = b.Least - 1
	found, err := checker.CheckConfig(t.Context(), b.In, c)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, f := range found {
		fields = append(fields, f.Path)
		if f.Text == "" {
			t.Errorf("%s is refused without a reason", f.Path)
		}
	}
	if want := []string{"memory", "settings.no_such_setting_at_all"}; !slices.Equal(fields, want) {
		t.Errorf("refused %v, want %v", fields, want)
	}
}
