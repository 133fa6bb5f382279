package sqltest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
)

// givesUp asks the server whether it knows the settings that are declared to give
// up durability, with the values that do.
func (b bench) givesUp(t *testing.T) {
	reader := b.Engine.Capabilities().Durability
	if reader == nil {
		t.Skip("the engine does not say which settings give up durability")
	}
	c := b.Config("risky")
	c.Settings = map[string]string{}
	for _, d := range reader.DurabilitySettings() {
		for _, safe := range d.Safe {
			if got := app.GivenUp(b.Engine, map[string]string{d.Name: strings.ToUpper(safe)}); len(got) > 0 {
				t.Errorf("%s = %s is kept for risky: %v", d.Name, safe, got)
			}
		}
		c.Settings[d.Name] = d.Risky
	}
	if got := app.GivenUp(b.Engine, c.Settings); len(got) != len(c.Settings) || len(got) == 0 {
		t.Errorf("of %v only %v give up durability", c.Settings, got)
	}
	checker := b.Engine.Capabilities().Config
	if checker == nil {
		return
	}
	if found, err := checker.CheckConfig(t.Context(), b.In, c); err != nil || len(found) > 0 {
		t.Errorf("the server does not know them: %v, %v", found, err)
	}
}

// readsDurability starts a server with values that give up durability on its command
// line, where neither the study nor its configuration has them, and asks it as the user
// of the study.
func (b bench) readsDurability(t *testing.T) {
	reader := b.Engine.Capabilities().Durability
	if reader == nil {
		t.Skip("the engine does not say which settings give up durability")
	}
	p, c := b.Configured(t, "read")
	v := b.Initialised(t, p, c)
	usual := b.Start(t, p, c, v)
	settings, err := reader.ReadDurability(t.Context(), usual.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	if got := app.GivenUp(b.Engine, settings); len(got) > 0 || len(settings) < 3 {
		t.Errorf("a usual server gives up %v: %v", got, settings)
	}
	if err := usual.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	given := b.Engine.Server(b.In, c)
	for _, d := range reader.DurabilitySettings() {
		if _, has := settings[d.Name]; has {
			given.Command = append(given.Command, "--"+d.Name+"="+d.Risky)
		}
	}
	risky, err := p.Start(t.Context(), given, v)
	if err != nil {
		t.Fatal(err)
	}
	read, err := reader.ReadDurability(t.Context(), risky.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	if got := app.GivenUp(b.Engine, read); len(got) != len(settings) {
		t.Errorf("of %v only %v give up durability: %v", slices.Sorted(maps.Keys(settings)), got, read)
	}
}
