package postgres

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

func TestVersionAnswer(t *testing.T) {
	for text, want := range map[string]string{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": "15.18",
		"postgres (PostgreSQL) 17.5\n":                           "17.5",
		"postgres (PostgreSQL) 18beta1\n":                        "18",
		"something else":                                         "",
	} {
		if got := versionAnswer.FindStringSubmatch(text); strings.Join(got[min(1, len(got)):], "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestUnsupportedVersionsAreLeftOut(t *testing.T) {
	for version, want := range map[string]bool{"13.9": false, "14.0": true, "18.3": true, "19.1": false} {
		if got := len(supported([]app.Installation{{Version: version}})) == 1; got != want {
			t.Errorf("%s is supported: %v", version, got)
		}
	}
}

func TestSizesFollowTheLimit(t *testing.T) {
	for _, c := range []struct {
		memory int64
		users  int
		want   []string
	}{
		{0, 4, []string{"shared_buffers = '131072kB'", "max_connections = '14'", "work_mem = '9362kB'", "max_wal_size = '262144kB'"}},
		{64 * mib, 0, []string{"shared_buffers = '16384kB'", "maintenance_work_mem = '16384kB'", "max_wal_size = '131072kB'"}},
		{128 * mib, 90, []string{"shared_buffers = '32768kB'", "max_connections = '100'", "work_mem = '1024kB'"}},
		{256 * gib, 10, []string{"shared_buffers = '8388608kB'", "maintenance_work_mem = '524288kB'", "max_wal_size = '4194304kB'", "work_mem = '16384kB'"}},
	} {
		text := configuration(app.Config{Users: c.users, Limits: describe.Limits{Memory: c.memory}})
		for _, line := range c.want {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("with %d bytes and %d users, %q is missing in\n%s", c.memory, c.users, line, text)
			}
		}
	}
}

func TestStudySettingsAreLastAndQuoted(t *testing.T) {
	text := configuration(app.Config{Settings: map[string]string{"fsync": "off", "application_name": `it's a \`}})
	if !strings.HasSuffix(text, "# from the study\napplication_name = 'it''s a \\\\'\nfsync = 'off'\n") {
		t.Errorf("the end of\n%s", text)
	}
}

func TestMissingSaysWhatToInstall(t *testing.T) {
	err := missing("17", []app.Installation{{Version: "15.18"}})
	for _, want := range []string{"apt-get install postgresql-17", "15.18", "--no-fetch"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}

// No package is sure to bring an exact minor version.
func TestMissingMinorSuggestsTheMajor(t *testing.T) {
	have := []app.Installation{{Version: "15.18"}}
	_, fetched := embedded(t.Context(), "15.3")
	for _, err := range []error{missing("15.3", have), fetched} {
		if !strings.Contains(err.Error(), `engine.version: "15"`) || strings.Contains(err.Error(), "apt-get") {
			t.Error(err)
		}
	}
	if err := missing("15.3", have); !strings.Contains(err.Error(), "found: 15.18") {
		t.Error(err)
	}
}

func TestChecksumsAreOn(t *testing.T) {
	for _, version := range []string{"15.18", "18.3"} {
		steps := Engine{}.Initialise(app.Installation{Version: version}, app.Config{Database: "ds2"})
		if !slices.Contains(steps[0].Command, "--data-checksums") {
			t.Errorf("%s: %v", version, steps[0].Command)
		}
	}
}
