package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/app"
)

// oldest and newest are the major versions whose settings this package knows.
const (
	oldest = 14
	newest = 18
)

// Find prefers an installation of the wanted major version (14 to 18; the
// newest when empty) and fetches one when there is none and fetching is
// allowed.
func (Engine) Find(ctx context.Context, version string, fetch bool) (app.Installation, error) {
	if v := major(version); version != "" && (v < oldest || v > newest) {
		return app.Installation{}, fmt.Errorf("PostgreSQL %q is not supported: use a major version from %d to %d", version, oldest, newest)
	}
	if err := hasAccount(os.Geteuid()); err != nil {
		return app.Installation{}, err
	}
	all := installed(ctx)
	if in, ok := app.Newest(supported(all), version); ok {
		return in, nil
	}
	r, brings := releaseOf(version)
	downloadable := (app.Installation{Version: brings}).Is(version) && r.sums[build()] != ""
	if fetch || downloadable && r.kept() {
		return embedded(ctx, version)
	}
	err := missing(version, all)
	if !downloadable {
		return app.Installation{}, err
	}
	return app.Installation{}, &app.FetchableError{
		Missing: err, In: app.Installation{Engine: "postgres", Version: brings, Source: "embedded"}, What: []string{"PostgreSQL " + brings + " (60 MB on disk)"},
	}
}

// supported leaves out the versions that this package does not know.
func supported(all []app.Installation) []app.Installation {
	return slices.DeleteFunc(slices.Clone(all), func(in app.Installation) bool {
		return major(in.Version) < oldest || major(in.Version) > newest
	})
}

// missing names the way to get a version. Packages are named by the major version and bring
// its newest minor, so none is sure to bring an exact one.
func missing(version string, have []app.Installation) error {
	wanted := major(version)
	if strings.Contains(version, ".") {
		return app.NotInstalled("PostgreSQL", version, have,
			fmt.Sprintf("packages have only the newest minor version of each major version; use the major version alone, `engine.version: \"%d\"`", wanted))
	}
	pkg := "postgresql"
	if version != "" {
		pkg = fmt.Sprintf("postgresql-%d", wanted)
	}
	return app.NotInstalled("PostgreSQL", version, have, "run `apt-get install "+pkg+"`, or let Plimsoll download it (omit --no-fetch)")
}

// installed lists the installations on the machine.
func installed(ctx context.Context) []app.Installation {
	return app.InDirectories(candidates(ctx), "postgres", func(dir string) (app.Installation, error) { return inspect(ctx, dir) })
}

// candidates are directories that may hold the programs: where PATH and
// pg_config lead, and where Debian and Red Hat put them, which is not in PATH.
func candidates(ctx context.Context) []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"} {
		found, _ := filepath.Glob(pattern) // the patterns are well-formed
		dirs = append(dirs, found...)
	}
	return dirs
}

// inspect looks at the programs in a directory.
func inspect(ctx context.Context, dir string) (in app.Installation, err error) {
	in = app.Installation{Engine: "postgres", Source: "installed", Paths: map[string]string{}}
	for _, program := range []string{"postgres", "initdb"} {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
			return in, fmt.Errorf("%s is not a program: %w", path, errors.Join(err, os.ErrNotExist))
		}
		in.Paths[program] = path
	}
	in.Version, err = app.VersionOf(ctx, versionAnswer, in.Paths["postgres"], "--version")
	return in, err
}

// versionAnswer is "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
var versionAnswer = regexp.MustCompile(`\(PostgreSQL\) (\d+(?:\.\d+)*)`)

// hasAccount refuses a user without an account, as containers may have: initdb
// asks the system for the user's name. Root's servers run under another user.
func hasAccount(uid int) error {
	if _, err := user.LookupId(strconv.Itoa(uid)); err != nil {
		return fmt.Errorf("PostgreSQL's initdb needs a passwd entry for user %d: run as a user that has one, as root, or use MariaDB", uid)
	}
	return nil
}
