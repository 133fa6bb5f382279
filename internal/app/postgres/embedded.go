package postgres

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"

	"plimsoll/internal/app"
	"plimsoll/internal/fetch"
)

// releases are the builds that the embedded-postgres library knows.
func releases() map[int]embeddedpostgres.PostgresVersion {
	return map[int]embeddedpostgres.PostgresVersion{
		14: embeddedpostgres.V14, 15: embeddedpostgres.V15, 16: embeddedpostgres.V16,
		17: embeddedpostgres.V17, 18: embeddedpostgres.V18,
	}
}

// embedded gets a build of the major version (the newest when empty) into the
// cache.
func embedded(ctx context.Context, version string) (app.Installation, error) {
	wanted := newest
	if version != "" {
		wanted = major(version)
	}
	release := releases()[wanted]
	if brings := strings.TrimSuffix(string(release), ".0"); !(app.Installation{Version: brings}).Is(version) {
		return app.Installation{}, fmt.Errorf("PostgreSQL %s is not installed, and the version that can be downloaded is %s: use the major version alone, `engine.version: \"%d\"`", version, brings, wanted)
	}
	cache, err := fetch.CacheDir()
	if err != nil {
		return app.Installation{}, err
	}
	dir, err := fetch.Once(ctx, cache, "postgres-"+string(release), func(_ context.Context, into string) error {
		return download(release, into)
	})
	if err != nil {
		return app.Installation{}, fmt.Errorf("fetch PostgreSQL %s: %w; or install it: apt-get install postgresql-%d", release, err, wanted)
	}
	in, err := inspect(ctx, filepath.Join(dir, "bin"))
	if err != nil {
		return in, fmt.Errorf("use the fetched PostgreSQL: %w; remove %s and try again", err, dir)
	}
	in.Source = "embedded"
	return in, nil
}

// download has the library download and unpack its archive. It offers that
// only as the first part of a start, so it is given a data directory that says
// it is initialised and holds nothing: the start then fails right after the
// unpacking, without a server having run (which root could not do anyway).
// What came is judged by whether the programs are there.
func download(release embeddedpostgres.PostgresVersion, into string) error {
	scratch := filepath.Join(into, "download")
	data := filepath.Join(scratch, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	mark := strings.SplitN(string(release), ".", 2)[0] + "\n"
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(mark), 0o600); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	logs := libraryLogs()
	startErr := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Version(release).Port(port).Logger(io.Discard).
		CachePath(scratch).RuntimePath(filepath.Join(scratch, "run")).
		DataPath(data).BinariesPath(into)).Start()
	removeNew(logs)
	if _, err := os.Stat(filepath.Join(into, "bin", "postgres")); err != nil {
		return startErr
	}
	return os.RemoveAll(scratch)
}

// libraryLogs are the log files that the library makes in the temporary
// directory and does not remove.
func libraryLogs() []string {
	logs, _ := filepath.Glob(filepath.Join(os.TempDir(), "embedded_postgres_log*")) // the pattern is well-formed
	return logs
}

func removeNew(before []string) {
	for _, path := range libraryLogs() {
		if !slices.Contains(before, path) {
			_ = os.Remove(path) // another user's is not ours to remove
		}
	}
}

// freePort satisfies the library, which looks whether its port is free.
func freePort() (uint32, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return uint32(l.Addr().(*net.TCPAddr).Port), nil
}
