package haproxy

import (
	"context"
	"fmt"
	"path"

	"plimsoll/internal/app"
	"plimsoll/internal/doctor"
)

const (
	name    = "haproxy"
	program = "haproxy"
)

func programs() doctor.Program {
	return doctor.Program{Name: program, Version: "-v", Paths: []string{"/usr/sbin/haproxy", "/usr/local/sbin/haproxy"}}
}

func install() string { return doctor.Install("haproxy", "haproxy") }

func find(ctx context.Context, version string) (app.Installation, error) {
	all := installed(ctx)
	in, ok := app.Newest(all, version)
	if !ok {
		return in, app.NotInstalled("HAProxy", version, all, "run `"+install()+"`")
	}
	return in, nil
}

// installed lists what is on the machine.
func installed(ctx context.Context) (all []app.Installation) {
	p := programs()
	for _, file := range p.Files() {
		all = append(all, app.Installation{Engine: name, Source: "installed", Version: p.VersionOf(ctx, file), Paths: map[string]string{program: file}})
	}
	return all
}

var _ doctor.Checker = Engine{}

// Checks looks for an installed program.
func (Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: name, Status: doctor.OK, Means: "studies whose stacks have a balancer cannot run", Fix: install()}
	if in, err := find(ctx, ""); err == nil {
		c.Found = fmt.Sprintf("installed: %s, %s", in.Version, path.Dir(in.Paths[program]))
	} else {
		c.Status, c.Found = doctor.Warn, "not installed"
	}
	return []doctor.Check{c}
}

// Programs is the balancer.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
