package phpfpm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/doctor"
)

// program is PHP-FPM; distributions add the version to its name.
const program = "php-fpm"

func programs() doctor.Program {
	return doctor.Program{Name: program, Version: "-v", Paths: []string{
		"/usr/sbin/php-fpm[0-9]*", "/usr/bin/php-fpm[0-9]*", "/usr/local/sbin/php-fpm[0-9]*", "/opt/remi/php*/root/usr/sbin/php-fpm",
	}}
}

// packages lists the packages with all that a stack needs of PHP.
func packages() doctor.Packages {
	return doctor.Packages{Debian: "php-fpm php-pgsql php-mysql", Fedora: "php-fpm php-pgsql php-mysqlnd php-opcache"}
}

// Find looks for the newest installation of a version (8, 8.2; any when empty) that
// has the opcode cache. None is fetched.
func (Engine) Find(ctx context.Context, version string, _ bool) (app.Installation, error) {
	return choose(installed(ctx), version)
}

// choose takes the newest of the installed ones that is wanted.
func choose(found []app.Installation, version string) (app.Installation, error) {
	in, ok := app.Newest(found, version)
	if !ok {
		return in, app.NotInstalled("PHP-FPM", version, found, "run `"+packages().Install()+"`")
	}
	if _, ok := in.Modules["opcache"]; !ok {
		return in, fmt.Errorf("PHP-FPM %s has no opcode cache: run `%s`", in.Version, doctor.Install("php"+series(in.Version)+"-opcache", "php-opcache"))
	}
	return in, nil
}

// series is the part of a version that names packages: 8.2.
func series(version string) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// installed lists the installations on the machine.
func installed(ctx context.Context) (all []app.Installation) {
	for _, in := range app.Installed(ctx, program, program, programs()) {
		if in.Modules = modules(ctx, in.Paths[program]); in.Modules != nil {
			all = append(all, in)
		}
	}
	return all
}

// modules asks the program which of the extensions are built in, and tries to load
// the others. It is nil for a program that does not run.
func modules(ctx context.Context, path string) map[string]string {
	builtIn, err := loaded(ctx, path)
	if err != nil {
		return nil
	}
	var load []string
	for _, name := range extensions {
		if !builtIn[name] {
			load = append(load, "-d", directive(name)+"="+name)
		}
	}
	all, err := loaded(ctx, path, load...)
	if err != nil {
		return nil
	}
	have := map[string]string{}
	for _, name := range extensions {
		switch {
		case builtIn[name]:
			have[name] = ""
		case all[name]:
			have[name] = directive(name)
		}
	}
	return have
}

// loaded lists the extensions of the program, which reads no configuration.
func loaded(ctx context.Context, path string, flags ...string) (map[string]bool, error) {
	cmd := exec.CommandContext(ctx, path, append(append([]string{"-n"}, flags...), "-m")...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	names := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		name := strings.ToLower(strings.TrimSpace(line))
		names[strings.TrimPrefix(name, "zend ")] = true
	}
	return names, err
}
