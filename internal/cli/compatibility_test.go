package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result"
	"plimsoll/test/quick"
)

// What docs/compatibility.md promises of run directories: a version is read, or refused in
// a sentence that says what to do.
func TestRunDirectoriesOfOtherVersions(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	words := map[int]string{
		1:                        "run the study again",
		2:                        "",
		3:                        "",
		result.SchemaVersion:     "",
		result.SchemaVersion + 1: "use a newer plimsoll",
	}
	dirs := map[int]string{}
	for version := range words {
		dirs[version] = ofVersion(t, version)
	}
	s := newSite(t)
	for version, want := range words {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			code, out, errs := s.plimsoll("report", dirs[version], "--format", "text", "--output", "-")
			text := strings.Join(strings.Fields(out+errs), " ")
			if code != 0 && code != command.ExitRefused || !strings.Contains(text, want) || strings.Contains(text, "No verdict: no trial finished") != (want != "") {
				t.Errorf("exit code %d, want %q\n%s%s", code, want, out, errs)
			}
			if named := strings.Contains(text, fmt.Sprintf("has schema version %d,", version)); named != (want != "") {
				t.Errorf("the version is named: %v\n%s%s", named, out, errs)
			}
		})
	}
}

// A field that is not known, as a later program of the same version may write, is passed
// over.
func TestFieldsOfLaterProgramsArePassedOver(t *testing.T) {
	dir := ofVersion(t, result.SchemaVersion)
	for _, pattern := range []string{"plan.json", "machine.json", "trials/*/*/*/trial.json"} {
		edit(t, dir, pattern, "{", `{"of_tomorrow": {"a": [1]},`)
	}
	s := newSite(t)
	if code, out, errs := s.plimsoll("report", dir, "--format", "text", "--output", "-"); code != 0 && code != command.ExitRefused {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// ofVersion is a run that says it is of a version.
func ofVersion(t *testing.T, version int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "network")
	if err := unpack(filepath.Join(recorded, "network.tar.gz"), dir); err != nil {
		t.Fatal(err)
	}
	const trials, written = "trials/*/*/*/trial.json", 3
	was := written
	if version > written {
		rewrite(t, dir, trials)
		was = result.SchemaVersion
	}
	edit(t, dir, trials, fmt.Sprintf(`"schema": %d`, was), fmt.Sprintf(`"schema": %d`, version))
	return dir
}

// rewrite writes trials of an earlier version as this program does.
func rewrite(t *testing.T, dir, pattern string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files are called %s: %v", pattern, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		var tile result.Tile
		if err = errors.Join(err, json.Unmarshal(text, &tile)); err != nil {
			t.Fatal(err)
		}
		tile.Schema = result.SchemaVersion
		text, err = json.MarshalIndent(tile, "", "  ")
		if err = errors.Join(err, os.WriteFile(file, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// edit replaces the first occurrence of a text in all files of a run that match.
func edit(t *testing.T, dir, pattern, from, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files are called %s: %v", pattern, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte(from)) {
			t.Fatalf("%s has no %s: %v", file, from, err)
		}
		if err := os.WriteFile(file, bytes.Replace(text, []byte(from), []byte(to), 1), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
