package mariadb

import (
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

func TestVersionAnswer(t *testing.T) {
	for text, want := range map[string]string{
		"mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)\n": "10.11.6",
		"/opt/bin/mariadbd  Ver 11.4.5-MariaDB for Linux on x86_64\n":                          "11.4.5",
		"mysqld  Ver 8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)":                "",
	} {
		if got := versionAnswer.FindStringSubmatch(text); strings.Join(got[min(1, len(got)):], "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestUnsupportedVersionsAreLeftOut(t *testing.T) {
	for version, want := range map[string]bool{"10.5.9": false, "10.6.0": true, "10.11.6": true, "12.0.2": true} {
		if got := len(supported([]app.Installation{{Version: version}})) == 1; got != want {
			t.Errorf("%s is supported: %v", version, got)
		}
	}
}

func TestSizesFollowTheLimit(t *testing.T) {
	for _, c := range []struct {
		memory     int64
		users      int
		pool, redo int64
	}{
		{0, 4, 256 * mib, 32 * mib},
		{160 * mib, 16, 16 * mib, 16 * mib}, // the server needs the rest
		{256 * mib, 4, 100 * mib, 16 * mib},
		{4 * gib, 40, 2 * gib, 256 * mib},
		{64 * gib, 100, 32 * gib, gib},
	} {
		config := app.Config{Users: c.users, Limits: describe.Limits{Memory: c.memory}}
		if got := bufferPool(config); got != c.pool {
			t.Errorf("buffer pool with %d MiB: %d MiB", c.memory/mib, got/mib)
		}
		if got := redoLog(config.DatabaseMemory()); got != c.redo {
			t.Errorf("redo log with %d MiB: %d MiB", c.memory/mib, got/mib)
		}
	}
}

func TestStudySettingsAreLast(t *testing.T) {
	text := configuration(app.Installation{}, app.Config{Settings: map[string]string{"innodb_flush_method": "fsync", "skip_innodb_doublewrite": ""}})
	if !strings.HasSuffix(text, "# from the study\ninnodb_flush_method = \"fsync\"\nskip_innodb_doublewrite\n") {
		t.Errorf("the end of\n%s", text)
	}
}

func TestNamesAndTextsAreQuoted(t *testing.T) {
	sql := accountStatements(app.Config{Database: "a`b", User: "o'hara", Password: `p'w\`})
	for _, want := range []string{"CREATE DATABASE `a``b`", "'o''hara'@'%'", `IDENTIFIED BY 'p''w\\'`} {
		if !strings.Contains(sql, want) {
			t.Errorf("%s is missing in\n%s", want, sql)
		}
	}
}

func TestMissingSaysWhatToInstall(t *testing.T) {
	if err := missing("", nil); !strings.Contains(err.Error(), "apt-get install mariadb-server-core") {
		t.Error(err)
	}
}

// The package has another version than the one that is asked for.
func TestMissingVersionSuggestsNoPackage(t *testing.T) {
	have := []app.Installation{{Version: "10.11.6"}}
	_, fetched := embedded(t.Context(), "12.3", have)
	for _, err := range []error{missing("12.3", have), fetched} {
		if !strings.Contains(err.Error(), "10.11.6") || !strings.Contains(err.Error(), release) || strings.Contains(err.Error(), "apt-get") {
			t.Error(err)
		}
	}
}
