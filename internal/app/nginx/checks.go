package nginx

import (
	"context"

	"plimsoll/internal/describe/doctor"
)

// Checks looks for an installed server.
func (Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: "nginx", Status: doctor.OK, Means: "studies whose stacks have a web server cannot run"}.By(packages())
	in, err := find(ctx, "")
	switch {
	case err == nil:
		c.Found = "installed: " + in.Version
	case in.Version != "":
		c.Status, c.Found = doctor.Warn, err.Error()
	default:
		c.Status, c.Found = doctor.Warn, "not installed"
	}
	return []doctor.Check{c}
}

// Programs is the server.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
