package haproxy

import (
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/doctor"
)

const (
	name    = "haproxy"
	program = "haproxy"
)

func programs() doctor.Program {
	return doctor.Program{Name: program, Version: "-v", Paths: []string{"/usr/sbin/haproxy", "/usr/local/sbin/haproxy"}}
}

func packages() doctor.Packages { return doctor.Packages{Debian: "haproxy", Fedora: "haproxy"} }

// Find looks for the newest installation of a version (2.6; any when empty). None is
// fetched.
func (Engine) Find(ctx context.Context, version string, _ bool) (app.Installation, error) {
	all := app.Installed(ctx, name, program, programs())
	in, ok := app.Newest(all, version)
	if !ok {
		return in, app.NotInstalled("HAProxy", version, all, "run `"+packages().Install()+"`")
	}
	return in, nil
}

// Checks looks for an installed program.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	return app.Checks(ctx, e, program, doctor.Check{Name: name, Means: "studies whose stacks have a balancer cannot run"}.By(packages()))
}

// Programs is the balancer.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
