package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
	"plimsoll/internal/describe/doctor"
)

// release is the version of DuckDB and of its extension, which must be the same.
const release = "1.5.5"

// The SHA-256 of the extensions' wheels, and of DuckDB's for each Python. They stand here
// rather than come from who serves the wheels.
const (
	extensionDigest = "fd1ad5b4b5443d0e32d1ebe9122845eb3d2b74466cee2cd56650024e9196f697"
	httpfsDigest    = "84913dbe172ccb54368de2c4a020c38ca8b0e76f99df548f7fac37934cc7826f"
)

var digests = map[string]string{
	"3.10": "e238060db5ca59879882a6e9b015e2c65d5c64ddf281ba1d7a9a2033764152cf",
	"3.11": "b9b6f86ed85d4ef5e0211eaebf75d057bd8bb520bba438a95dd0f4e42234bbfe",
	"3.12": "7a6d2d11859d82a936ebdcb30ce3d8a1cbb3e990bff05c12abb9b54c44fa7bd1",
	"3.13": "078e6a60dd8eedde5832f45422ca5c4a6b8c837aeabd8a56ca0b7d933f588053",
	"3.14": "fbf0f2d48b43c6c304d00463b463c27ead6c4b01c3c1816b750f728decf71afe",
}

// The extensions, as their wheels name them: one makes tables, the other reads tables in
// buckets.
const (
	extension = "duckdb_extension_tpcds/extensions/v" + release + "/tpcds.duckdb_extension"
	httpfs    = "duckdb_extension_httpfs/extensions/v" + release + "/httpfs.duckdb_extension"
)

// Find looks for the packages of Python in the cache, and fetches them where they are not.
func (Engine) Find(ctx context.Context, version string, mayFetch bool) (app.Installation, error) {
	none := func(how string) (app.Installation, error) {
		return app.Installation{}, app.NotInstalled("DuckDB", version, nil, how)
	}
	if !(app.Installation{Version: release}).Is(version) {
		return none("use " + release + ", which is the version that can be downloaded")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return none("use a machine with Linux on x86-64, for which there are packages")
	}
	python, of := interpreter(ctx)
	if python == "" {
		return none("install Python 3.10 to 3.14: " + doctor.Install("python3", "python3"))
	}
	cache, err := fetch.CacheDir()
	if err != nil {
		return app.Installation{}, err
	}
	kept := name + "-" + release + "-httpfs-python" + of // another name whenever more is kept
	if !mayFetch && !fetch.Has(cache, kept) {
		_, err := none("let Plimsoll download it, for which it needs pip (omit --no-fetch)")
		if !fetch.HasPip() {
			return app.Installation{}, err
		}
		return app.Installation{}, &app.FetchableError{
			Missing: err, In: app.Installation{Engine: name, Version: release, Source: "embedded"}, What: []string{"DuckDB " + release + " (35 MB)"},
		}
	}
	dir, err := fetch.Once(ctx, cache, kept, func(ctx context.Context, into string) error { return download(ctx, of, into) })
	if errors.Is(err, fetch.ErrNoPip) {
		return app.Installation{}, fmt.Errorf("fetch DuckDB %s: %w: run `%s`", release, err, doctor.Install("python3-pip", "python3-pip"))
	}
	if err != nil {
		return app.Installation{}, fmt.Errorf("fetch DuckDB %s: %w", release, err)
	}
	return app.Installation{Engine: name, Version: release, Source: "embedded", Paths: map[string]string{
		"python": python, "packages": dir, "extension": filepath.Join(dir, extension), "httpfs": filepath.Join(dir, httpfs),
	}}, nil
}

// interpreter finds a Python with a matching wheel, and its version (3.11). It tries the
// system's first: servers run as other users, who cannot reach a home.
func interpreter(ctx context.Context) (path, version string) {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").Output()
		version := strings.TrimSpace(string(out))
		if _, ok := digests[version]; err == nil && ok {
			return path, version
		}
	}
	return "", ""
}

// download gets the wheels and unpacks them, which is all that installing them takes.
func download(ctx context.Context, python, into string) error {
	for requirement, digest := range map[string]string{
		"duckdb==" + release:                  digests[python],
		"duckdb-extension-tpcds==" + release:  extensionDigest,
		"duckdb-extension-httpfs==" + release: httpfsDigest,
	} {
		wheel := fetch.Archive{Digest: digest, Get: func(ctx context.Context, into string) (string, error) {
			return fetch.Wheel(ctx, requirement, into, "--python-version="+python)
		}}
		if err := wheel.Unpack(ctx, into); err != nil {
			return err
		}
	}
	return nil
}

// Checks looks for the packages, or for the programs that fetch them.
func (e Engine) Checks(ctx context.Context) []doctor.Check {
	c := doctor.Check{Name: name, Status: doctor.OK, Means: "studies with this engine cannot run"}.
		By(doctor.Packages{Debian: "python3 python3-pip", Fedora: "python3 python3-pip"})
	in, err := e.Find(ctx, "", false)
	python, _ := interpreter(ctx)
	switch {
	case err == nil:
		c.Found = in.Source + ": " + in.Version
	case python != "" && fetch.HasPip():
		c.Found = "not fetched; " + release + " is downloaded when a study wants it"
		c.Fetches = "DuckDB " + release + " with pip (35 MB)"
	default:
		c.Status, c.Found = doctor.Warn, "not fetched, and there is no Python 3.10 to 3.14 with pip for it"
	}
	return []doctor.Check{c}
}

// Programs implements doctor.Checker: the version stands in Find.
func (Engine) Programs() []doctor.Program { return nil }
