package trino

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
)

// release is the newest server whose tar is in Maven's public repository, and digest the
// SHA-256 of the tar, which stands here rather than come from who serves it.
const (
	release = "476"
	digest  = "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f"
)

var artifact = fetch.Artifact{Group: "io.trino", Name: "trino-server", Version: release, Type: "tar.gz"}

// plugins are those that are kept of the release; the others are another half of a GB.
var plugins = []string{"hive", "iceberg", "memory", "password-authenticators", "tpcds"}

// Find looks for a server that was fetched before, or fetches one, and for a Java that runs
// it.
func (Engine) Find(ctx context.Context, version string, mayFetch bool) (app.Installation, error) {
	if !(app.Installation{Version: release}).Is(version) {
		return app.Installation{}, fmt.Errorf("version %q of Trino is not supported: use %s", version, release)
	}
	cache, err := fetch.CacheDir()
	if err != nil {
		return app.Installation{}, err
	}
	in := app.Installation{Engine: name, Version: release, Paths: map[string]string{}}
	var noJava error
	if in.Paths[java], noJava = findJava(ctx, cache, mayFetch); noJava != nil && mayFetch {
		return app.Installation{}, noJava
	}
	in.Paths[name], in.Source, err = server(ctx, cache, mayFetch)
	if err := app.Fetchable(app.Installation{Engine: name, Version: release, Source: "embedded"}, noJava, err); err != nil {
		return app.Installation{}, err
	}
	return in, nil
}

// kept is the server's name in the cache: another one whenever other plugins are kept.
const kept = name + "-" + release + "-2"

// installed is where the official images have the server.
const installed = "/usr/lib/trino"

// server returns the directory of the server, and where it comes from.
func server(ctx context.Context, cache string, mayFetch bool) (dir, source string, err error) {
	if isRelease(installed) {
		return installed, "installed", nil
	}
	if !mayFetch && !fetch.Has(cache, kept) {
		return "", "", &app.FetchableError{
			Missing: app.NotInstalled("Trino", release, nil, "let Plimsoll download it, 821 MB (omit --no-fetch)"),
			What:    []string{"Trino " + release + " (821 MB)"},
		}
	}
	if dir, err = fetch.Once(ctx, cache, kept, download); err != nil {
		return "", "", fmt.Errorf("fetch Trino %s: %w", release, err)
	}
	return dir, "embedded", nil
}

// isRelease reports whether the directory of a server holds the expected release.
func isRelease(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "lib", "*trino-main-"+release+".jar")) // the pattern is well-formed
	return len(found) > 0
}

// download gets the tar, verifies its digest and keeps the parts in use.
func download(ctx context.Context, into string) error {
	file := filepath.Join(into, "download.tar.gz")
	if err := fetch.Get(ctx, artifact.URL(fetch.Central), digest, file); err != nil {
		return err
	}
	archive, err := os.Open(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := fetch.UntarGZ(archive, into); err != nil {
		return err
	}
	return errors.Join(os.Remove(file), trim(into))
}

// trim moves the parts in use to their final places, and removes the rest.
func trim(into string) error {
	top := filepath.Join(into, artifact.Name+"-"+release)
	all, err := os.ReadDir(filepath.Join(top, "plugin"))
	if err != nil {
		return err
	}
	for _, p := range all {
		if !slices.Contains(plugins, p.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(top, "plugin", p.Name())))
		}
	}
	for _, kept := range []string{"lib", "plugin", "NOTICE", "README.txt"} {
		err = errors.Join(err, os.Rename(filepath.Join(top, kept), filepath.Join(into, kept)))
	}
	return errors.Join(err, os.RemoveAll(top))
}
