package netsink

import (
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/app/builtin"
	"plimsoll/internal/describe"
)

// leastMemory is the least in which the sink starts, in bytes.
const leastMemory = 16 * mib

// CheckConfig judges the settings. There are none but the link's.
func (Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return builtin.Check(in, c, "sink", leastMemory)
}

// Outward implements app.ConfigChecker: of its settings none names anything.
func (Engine) Outward() app.OutwardSettings { return app.OutwardSettings{} }

// Notes implements app.Capabilities: a link of the sink's own is no network.
func (Engine) Notes(c app.Config) []string { return builtin.Notes(c.Settings, "streams") }
