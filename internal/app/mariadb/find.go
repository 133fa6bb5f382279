package mariadb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"plimsoll/internal/app"
)

// oldest is the first release whose options this package uses.
const oldest = "10.6"

// Find prefers an installation of the wanted version ("10.11", "11"; the
// newest when empty) and fetches one when there is none and fetching is
// allowed.
func (Engine) Find(ctx context.Context, version string, fetch bool) (app.Installation, error) {
	if version != "" && app.Older(version, "10") {
		return app.Installation{}, fmt.Errorf("MariaDB %q is not supported: use 10.6 or later, such as 10.11", version)
	}
	all := installed(ctx)
	if in, ok := app.Newest(supported(all), version); ok {
		return in, nil
	}
	if fetch || kept(version) {
		return embedded(ctx, version, all)
	}
	err := missing(version, all)
	if !downloadable(version) {
		return app.Installation{}, err
	}
	return app.Installation{}, &app.FetchableError{
		Missing: err, In: app.Installation{Engine: "mariadb", Version: release, Source: "embedded"}, What: []string{"MariaDB " + release + " (150 MB)"},
	}
}

// supported leaves out the versions that are too old.
func supported(all []app.Installation) []app.Installation {
	return slices.DeleteFunc(slices.Clone(all), func(in app.Installation) bool { return app.Older(in.Version, oldest) })
}

// missing names the way to get a server. The package has the version of the distribution,
// so it is named only where any version will do.
func missing(version string, have []app.Installation) error {
	remedy := "run `apt-get install mariadb-server-core`, or let Plimsoll download it (omit --no-fetch)"
	if version != "" {
		remedy = "use an installed version, or " + release + ", which Plimsoll downloads (omit --no-fetch); " + policy
	}
	return app.NotInstalled("MariaDB", version, have, remedy)
}

// policy is the way to find a package's version.
const policy = "`apt-cache policy mariadb-server-core` shows the version of the distribution's package"

// installed lists the installations on the machine.
func installed(ctx context.Context) []app.Installation {
	return app.InDirectories(candidates(), "mariadbd", func(dir string) (app.Installation, error) { return inspect(ctx, dir) })
}

// candidates are the directories that may hold mariadbd: PATH, and the distributions'
// directories, which a plain user's PATH often lacks.
func candidates() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	return append(dirs, "/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/usr/local/mariadb/bin")
}

// inspect looks at the server in a directory, and for the installation script
// there and where distributions put it.
func inspect(ctx context.Context, dir string) (app.Installation, error) {
	in := app.Installation{Engine: "mariadb", Source: "installed", Paths: map[string]string{}}
	server, err := filepath.EvalSymlinks(filepath.Join(dir, "mariadbd"))
	if err != nil {
		return in, err
	}
	in.Paths["mariadbd"] = server
	in.Paths["mariadb-install-db"], err = installScript(filepath.Dir(server))
	if err != nil {
		return in, err
	}
	// The machine's own configuration may be meant for another program, or unreadable.
	in.Version, err = app.VersionOf(ctx, versionAnswer, server, "--no-defaults", "--version")
	return in, err
}

func installScript(dir string) (string, error) {
	for _, at := range []string{dir, filepath.Join(dir, "../scripts"), filepath.Join(dir, "../bin"), "/usr/bin"} {
		path := filepath.Join(at, "mariadb-install-db")
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s has mariadbd but no mariadb-install-db: install the server package (apt-get install mariadb-server-core)", dir)
}

// versionAnswer is "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu".
var versionAnswer = regexp.MustCompile(`Ver (\d+(?:\.\d+)*)-MariaDB`)
