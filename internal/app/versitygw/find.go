package versitygw

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
	"plimsoll/internal/describe/doctor"
)

const (
	name    = "versitygw"
	program = "versitygw"
	release = "1.8.0" // that is built where none is installed
	module  = "github.com/versity/versitygw/cmd/versitygw"
)

func programs() doctor.Program {
	return doctor.Program{Name: program, Version: "--version", Paths: []string{"/usr/local/bin/versitygw"}}
}

// Find looks for the newest installation of a version (1.8; any when empty), and builds one
// from its module where there is none.
func (Engine) Find(ctx context.Context, version string, mayFetch bool) (app.Installation, error) {
	all := installed(ctx)
	if in, ok := app.Newest(all, version); ok {
		return in, nil
	}
	buildable := (app.Installation{Version: release}).Is(version)
	if buildable && (mayFetch || kept()) {
		return built(ctx)
	}
	missing := app.NotInstalled("versitygw", version, all,
		"put its program into PATH, or let Plimsoll build "+release+", for which it needs the go command (omit --no-fetch)")
	if !buildable || !fetch.HasGo() {
		return app.Installation{}, missing
	}
	return app.Installation{}, &app.FetchableError{
		Missing: missing, In: app.Installation{Engine: name, Version: release, Source: "built"}, What: []string{"versitygw " + release + " (built from its module; 84 MB on disk)"},
	}
}

// kept reports whether it was built before.
func kept() bool {
	cache, err := fetch.CacheDir()
	return err == nil && fetch.Has(cache, name+"-"+release)
}

// built makes the release from its module.
func built(ctx context.Context) (app.Installation, error) {
	cache, err := fetch.CacheDir()
	if err != nil {
		return app.Installation{}, err
	}
	dir, err := fetch.Once(ctx, cache, name+"-"+release, func(ctx context.Context, into string) error {
		return fetch.Module(ctx, module+"@v"+release, into)
	})
	if errors.Is(err, fetch.ErrNoGo) {
		return app.Installation{}, fmt.Errorf("build versitygw %s: %w: run `%s`, or put the program versitygw into PATH", release, err, doctor.Install("golang", "golang"))
	}
	if err != nil {
		return app.Installation{}, fmt.Errorf("build versitygw %s: %w", release, err)
	}
	return inspect(ctx, filepath.Join(dir, program), "built"), nil
}

// installed lists the installations on the machine.
func installed(ctx context.Context) (all []app.Installation) {
	for _, path := range programs().Files() {
		all = append(all, inspect(ctx, path, "installed"))
	}
	return all
}

// inspect takes the version from the build information that Go writes into its programs: a
// program built from its module reports no other.
func inspect(ctx context.Context, path, source string) app.Installation {
	in := app.Installation{Engine: name, Source: source, Paths: map[string]string{program: path}}
	if info, err := buildinfo.ReadFile(path); err == nil && strings.HasPrefix(info.Main.Version, "v") {
		in.Version = strings.TrimPrefix(info.Main.Version, "v")
	} else {
		in.Version = programs().VersionOf(ctx, path)
	}
	return in
}

// Checks looks for a program, or for the tools that build one.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: name, Status: doctor.OK, Means: "studies with this gateway of an object store cannot run"}.
		By(doctor.Packages{Debian: "golang", Fedora: "golang"})
	c.Fix = "put the program versitygw into PATH, or install what builds it: " + c.Fix
	in, err := e.Find(ctx, "", false)
	switch {
	case err == nil:
		c.Found = in.Source + ": " + in.Version
	case fetch.HasGo():
		c.Found = "not installed; " + release + " is built from its module when a study wants it"
		c.Fetches = "versitygw " + release + " from its module, built with go (84 MB on disk)"
	default:
		c.Status, c.Found = doctor.Warn, "not installed, and there is no go command to build it"
	}
	return []doctor.Check{c}
}

// Programs is the gateway.
func (Engine) Programs() []doctor.Program { return []doctor.Program{programs()} }
