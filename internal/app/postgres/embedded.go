package postgres

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
)

// release is a build of the project embedded-postgres-binaries, and the SHA-256 of its
// archive for each architecture. The digests stand here and do not come from the
// server of the archive: only the archives that were examined are unpacked.
type release struct {
	version string
	sums    map[string]string
}

var releases = map[int]release{
	14: {"14.18.0", map[string]string{
		"amd64":        "d08a4c4703faf3f78ed74af72f1794d32ad3798f7dedf46abd383f809a99262b",
		"amd64-alpine": "c714033647d894b90f146aa24aad13d54a4851f76cdc3903e33807024614d449",
	}},
	15: {"15.13.0", map[string]string{
		"amd64":        "cc0177d8a22b85ed266f6204c0642fd5c24ab583d1ef221d4b60bce29d4fa4ef",
		"amd64-alpine": "73c825eba923c8faa8059a5f9af7d20c9800b7feba901110fdc3487400905a80",
	}},
	16: {"16.9.0", map[string]string{
		"amd64":        "d983cee24678490199e1684d6a93f49f84673696cb6f0db64e880a4cf233017b",
		"amd64-alpine": "2a82d0d9266d46976be463ecf76b89f72e614d867e26b7fe8cf038fe7e05f075",
		"arm64v8":      "9d113402f70f4d134250916319ad83e87cba3796bd73a606c28dbabd326b4fa3",
	}},
	17: {"17.5.0", map[string]string{
		"amd64":        "646f3269075d1a23904127374e3cdbcef96beb32979fedee25d835877400fcbe",
		"amd64-alpine": "7122386c7f7a089568f05720ada63448093d4065abbc0a89e6dc660851a53e3c",
		"arm64v8":      "e02f27ff50ff2d90b6541d54f3f108505aacd84ea53c2890e976a684bfea2752",
	}},
	18: {"18.3.0", map[string]string{
		"amd64":        "1974c3a59c3ae010e9818e81637e425aad94eaac26e4ef533b42e081fe7ca345",
		"amd64-alpine": "510fd314da39f1eeccef774a92428474168fedf55403342548e2adeaed66b483",
		"arm64v8":      "1fb555a6602c13a113ab1f0cc9224d599948e85e51ac5f001393605505eaf78e",
	}},
}

// repository has the archives.
var repository = fetch.Central

const archives = "embedded-postgres-binaries-linux"

// build names the archives for this machine.
func build() string {
	name := runtime.GOARCH
	if name == "arm64" {
		name += "v8"
	}
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		name += "-alpine"
	}
	return name
}

// releaseOf is the build of a version's major version (the newest when empty), and the
// version of the server that it brings.
func releaseOf(version string) (r release, brings string) {
	wanted := newest
	if version != "" {
		wanted = major(version)
	}
	r = releases[wanted]
	return r, strings.TrimSuffix(r.version, ".0")
}

// kept reports whether it was downloaded before.
func (r release) kept() bool {
	cache, err := fetch.CacheDir()
	return err == nil && fetch.Has(cache, "postgres-"+r.version)
}

// embedded gets a build of the major version (the newest when empty) into the
// cache.
func embedded(ctx context.Context, version string) (app.Installation, error) {
	r, brings := releaseOf(version)
	wanted := major(brings)
	if !(app.Installation{Version: brings}).Is(version) {
		return app.Installation{}, fmt.Errorf("PostgreSQL %s is not installed, and the version that can be downloaded is %s: use the major version alone, `engine.version: \"%d\"`", version, brings, wanted)
	}
	cache, err := fetch.CacheDir()
	if err != nil {
		return app.Installation{}, err
	}
	dir, err := fetch.Once(ctx, cache, "postgres-"+r.version, r.download)
	if err != nil {
		return app.Installation{}, fmt.Errorf("fetch PostgreSQL %s: %w; or install it: apt-get install postgresql-%d", r.version, err, wanted)
	}
	in, err := inspect(ctx, filepath.Join(dir, "bin"))
	if err != nil {
		return in, fmt.Errorf("use the fetched PostgreSQL: %w; remove %s and try again", err, dir)
	}
	in.Source = "embedded"
	return in, nil
}

// download gets the archive, compares it with its digest and unpacks it.
func (r release) download(ctx context.Context, into string) error {
	sum := r.sums[build()]
	if sum == "" {
		return fmt.Errorf("there is no build of PostgreSQL %s to download for %s", r.version, build())
	}
	artifact := fetch.Artifact{Group: "io.zonky.test.postgres", Name: archives + "-" + build(), Version: r.version, Type: "jar"}
	file := filepath.Join(into, "download.jar")
	if err := fetch.Get(ctx, artifact.URL(repository), sum, file); err != nil {
		return err
	}
	return errors.Join(unpack(file, into), os.Remove(file))
}

// unpack finds the one compressed tar in an archive.
func unpack(archive, into string) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, ".txz") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		defer in.Close()
		return fetch.UntarXZ(in, into)
	}
	return errors.New("the archive has no programs")
}
