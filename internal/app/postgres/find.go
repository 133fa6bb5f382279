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

func find(ctx context.Context, version string, fetch bool) (app.Installation, error) {
	if v := major(version); version != "" && (v < oldest || v > newest) {
		return app.Installation{}, fmt.Errorf("PostgreSQL %q is not supported: use a major version from %d to %d", version, oldest, newest)
	}
	if err := hasAccount(os.Geteuid()); err != nil {
		return app.Installation{}, err
	}
	all := installed(ctx)
	for _, in := range all {
		if matches(in.Version, version) {
			return in, nil
		}
	}
	if fetch {
		return embedded(ctx, version)
	}
	return app.Installation{}, missing(version, all)
}

// matches says that an installed version (15.18) is the wanted one: any
// supported one, a major (15) or an exact one (15.18).
func matches(have, want string) bool {
	if want == "" {
		return major(have) >= oldest && major(have) <= newest
	}
	return have == want || strings.HasPrefix(have, want+".")
}

// missing says how to get a version: packages are named by the major version
// and bring its newest minor, so that none is sure to bring an exact one.
func missing(version string, have []app.Installation) error {
	wanted := major(version)
	if strings.Contains(version, ".") {
		return fmt.Errorf("PostgreSQL %s is not installed (found: %s): packages have only the newest minor version of each major version; use the major version alone, `engine.version: \"%d\"`", version, app.Versions(have), wanted)
	}
	what, pkg := "PostgreSQL", "postgresql"
	if version != "" {
		what, pkg = "PostgreSQL "+version, fmt.Sprintf("postgresql-%d", wanted)
	}
	return fmt.Errorf("%s is not installed (found: %s): run `apt-get install %s`, or let Plimsoll download it (omit --no-fetch)", what, app.Versions(have), pkg)
}

// installed lists what is on the machine, newest first.
func installed(ctx context.Context) []app.Installation {
	var all []app.Installation
	seen := map[string]bool{}
	for _, dir := range candidates(ctx) {
		in, err := inspect(ctx, dir)
		if err != nil || seen[in.Paths["postgres"]] {
			continue
		}
		seen[in.Paths["postgres"]] = true
		all = append(all, in)
	}
	slices.SortStableFunc(all, func(a, b app.Installation) int { return compareVersions(b.Version, a.Version) })
	return all
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
func inspect(ctx context.Context, dir string) (app.Installation, error) {
	in := app.Installation{Engine: "postgres", Source: "installed", Paths: map[string]string{}}
	for _, program := range []string{"postgres", "initdb"} {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
			return in, fmt.Errorf("%s is not a program: %w", path, errors.Join(err, os.ErrNotExist))
		}
		in.Paths[program] = path
	}
	out, err := exec.CommandContext(ctx, in.Paths["postgres"], "--version").CombinedOutput()
	if err != nil {
		return in, fmt.Errorf("%s --version: %w: %s", in.Paths["postgres"], err, strings.TrimSpace(string(out)))
	}
	in.Version, err = versionIn(string(out))
	return in, err
}

// versionIn reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func versionIn(text string) (string, error) {
	m := regexp.MustCompile(`\(PostgreSQL\) (\d+(?:\.\d+)*)`).FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%q has no PostgreSQL version", strings.TrimSpace(text))
	}
	return m[1], nil
}

func compareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		all = append(all, major(part))
	}
	return all
}

// hasAccount refuses a user without an account, as containers may have: initdb
// asks the system for the user's name. Root's servers run under another user.
func hasAccount(uid int) error {
	if _, err := user.LookupId(strconv.Itoa(uid)); err != nil {
		return fmt.Errorf("PostgreSQL's initdb needs a passwd entry for user %d: run as a user that has one, as root, or use MariaDB", uid)
	}
	return nil
}
