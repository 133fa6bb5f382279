package desktops_test

import (
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/desktops"
)

func TestConformance(t *testing.T) {
	own := func(change func(*desktops.Parameters)) workload.Parameters {
		p := desktops.Workload{}.Defaults().(*desktops.Parameters)
		p.Documents, p.Document, p.Settings, p.System, p.Large = 5, 12<<10, 6, 128<<10, 300<<10
		p.Away = unit.Duration(1e15)
		if err := p.Mix.UnmarshalText([]byte("open:2, browse:1, edit:3, search:1, save:3, copy:1, archive:1, compress:1")); err != nil {
			t.Fatal(err)
		}
		change(p)
		return p
	}
	workloadtest.RunOnVolume(t, workloadtest.Suite{
		Workload: desktops.Workload{}, Parameters: own(func(*desktops.Parameters) {}),
		Wrong: map[string]workload.Parameters{
			"mix":       own(func(p *desktops.Parameters) { p.Mix = nil }),
			"documents": own(func(p *desktops.Parameters) { p.Documents = 0 }),
			"document":  own(func(p *desktops.Parameters) { p.Document = 5000 }),
			"changes":   own(func(p *desktops.Parameters) { p.Changes = 0 }),
			"settings":  own(func(p *desktops.Parameters) { p.Settings = 0 }),
			"system":    own(func(p *desktops.Parameters) { p.System = 4096 }),
			"large":     own(func(p *desktops.Parameters) { p.Large = 0 }),
			"start":     own(func(p *desktops.Parameters) { p.Start = "sleep" }),
			"away":      own(func(p *desktops.Parameters) { p.Away = 0 }),
		},
	})
}
