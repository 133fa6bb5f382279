package netsink

import (
	"cmp"
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/app/ownlink"
	"plimsoll/internal/version"
)

// leastMemory is what the sink starts in.
const leastMemory = 16 * mib

// CheckConfig judges the settings, which are those of its link.
func (Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.JudgeConfig(c, "the sink", leastMemory, app.Outward{}, func(name, value string) (*app.ConfigProblem, error) {
		if p, ours := ownlink.Judge(in, c.Settings, "sink", name, value); ours {
			return p, nil
		}
		return app.UnknownSetting("the sink of Plimsoll", cmp.Or(in.Version, version.Get()), name, ownlink.Names()), nil
	})
}

// Outward implements app.ConfigChecker: of its settings none names anything.
func (Engine) Outward() app.Outward { return app.Outward{} }

// Notes implements app.Noter: a link of the sink's own is no network.
func (Engine) Notes(c app.Config) []string { return ownlink.Notes(c.Settings, "streams") }
