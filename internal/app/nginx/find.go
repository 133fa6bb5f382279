package nginx

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/doctor"
)

const program = "nginx"

func programs() doctor.Program {
	return doctor.Program{Name: program, Version: "-v", Paths: []string{"/usr/local/nginx/sbin/nginx"}}
}

func packages() doctor.Packages { return doctor.Packages{Debian: "nginx", Fedora: "nginx"} }

// modules are parts that a build may lack, by the flag of its configuration.
var modules = map[string]string{"stub_status": "http_stub_status_module", "ssl": "http_ssl_module"}

// Find looks for the newest installation of a version (1.22; any when empty). None is
// fetched.
func (Engine) Find(ctx context.Context, version string, _ bool) (app.Installation, error) {
	return choose(installed(ctx), version)
}

// choose takes the newest of the installed ones that is wanted.
func choose(found []app.Installation, version string) (app.Installation, error) {
	in, ok := app.Newest(found, version)
	if !ok {
		return in, app.NotInstalled("nginx", version, found, "run `"+packages().Install()+"`")
	}
	if _, ok := in.Modules["stub_status"]; !ok {
		return in, fmt.Errorf("nginx %s at %s was built without %s: run `%s`", in.Version, in.Paths[program], modules["stub_status"], packages().Install())
	}
	return in, nil
}

// installed lists the installations on the machine.
func installed(ctx context.Context) (all []app.Installation) {
	for _, in := range app.Installed(ctx, program, program, programs()) {
		text, err := exec.CommandContext(ctx, in.Paths[program], "-V").CombinedOutput()
		if err != nil {
			continue
		}
		in.Modules = map[string]string{}
		for name, flag := range modules {
			if strings.Contains(string(text), flag) {
				in.Modules[name] = ""
			}
		}
		all = append(all, in)
	}
	return all
}

// logFlags keep nginx from opening the log that it was built for, which only root
// may write; older versions merely complain.
func logFlags(in app.Installation) []string {
	if app.Older(in.Version, "1.19.5") {
		return nil
	}
	return []string{"-e", "stderr"}
}

var _ doctor.Checker = Engine{}

// Checks looks for an installed server.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	return app.Checks(ctx, e, program, doctor.Check{Name: program, Means: "studies whose stacks have a web server cannot run"}.By(packages()))
}

// Programs is the server.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
