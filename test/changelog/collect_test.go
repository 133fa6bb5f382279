package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestCurrent says when CHANGELOG.md is not what the files of changelog/ say, or when
// one of them is no change.
func TestCurrent(t *testing.T) {
	want, err := collect(os.DirFS("../../changelog"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("CHANGELOG.md is out of date: run make changelog\n%s", diff)
	}
}

func TestVersionsAndKindsAreInOrder(t *testing.T) {
	got, err := collect(fstest.MapFS{
		"README.md":       {Data: []byte("no version")},
		"0.2/b.md":        {Data: []byte("Fixed: two.\n")},
		"0.10/a.md":       {Data: []byte("Added: ten: with a colon.\n")},
		"unreleased/a.md": {Data: []byte("Fixed: later.\n")},
		"unreleased/b.md": {Data: []byte("Added: first.\n")},
	})
	want := `# Changelog

## Unreleased

### Added

- first.

### Fixed

- later.

## 0.10

### Added

- ten: with a colon.

## 0.2

### Fixed

- two.
`
	if err != nil || got != want {
		t.Errorf("got %v:\n%s", err, cmp.Diff(want, got))
	}
}

func TestWhatIsNoChangeIsRefused(t *testing.T) {
	for name, content := range map[string]string{
		"no type": "A change.\n", "an unknown type": "Improved: all.\n", "two lines": "Fixed: one\ntwo.\n", "empty": "",
		"too long": "Fixed: " + strings.Repeat("ü", longestChange+1) + "\n",
	} {
		if got, err := collect(fstest.MapFS{"0.1/x.md": {Data: []byte(content)}}); err == nil {
			t.Errorf("%s: taken as %q", name, got)
		}
	}
}

func TestAVersionHasSoManyChangesAtMost(t *testing.T) {
	changelog := fstest.MapFS{}
	for i := range mostChanges {
		changelog[fmt.Sprintf("0.1/%d.md", i)] = &fstest.MapFile{Data: []byte("Fixed: " + strings.Repeat("ü", longestChange) + "\n")}
	}
	changelog["0.2/other.md"] = &fstest.MapFile{Data: []byte("Added: of another version.\n")}
	if _, err := collect(changelog); err != nil {
		t.Errorf("%d changes are refused: %v", mostChanges, err)
	}
	changelog["0.1/more.md"] = &fstest.MapFile{Data: []byte("Added: one more.\n")}
	if _, err := collect(changelog); err == nil {
		t.Errorf("%d changes are taken", mostChanges+1)
	}
}
