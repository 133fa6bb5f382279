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

func find(ctx context.Context, version string) (app.Installation, error) {
	all := app.Installed(ctx, name, program, programs())
	in, ok := app.Newest(all, version)
	if !ok {
		return in, app.NotInstalled("HAProxy", version, all, "run `"+packages().Install()+"`")
	}
	return in, nil
}

// Checks looks for an installed program.
func (Engine) Checks(ctx context.Context) []doctor.Check {
	missing := ""
	in, err := find(ctx, "")
	if err != nil {
		missing = "not installed"
	}
	c := doctor.Check{Name: name, Means: "studies whose stacks have a balancer cannot run"}.By(packages())
	return []doctor.Check{c.Installed(in.Version, in.Paths[program], missing)}
}

// Programs is the balancer.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
