package gluster

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Three bricks as their file systems hold them: one lost a block of one file,
// another has lost a file, and one has a file that the first lacks.
func TestDifferingCopies(t *testing.T) {
	var bricks []string
	for n, files := range []map[string]string{
		{"data/same": "abc", "data/base/block": "new", "data/log": "x", ".glusterfs/own": "1"},
		{"data/same": "abc", "data/base/block": "old", "data/log": "x", ".glusterfs/own": "2"},
		{"data/same": "abc", "data/base/block": "new", "data/extra": ""},
	} {
		brick := t.TempDir()
		for name, text := range files {
			path := filepath.Join(brick, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		bricks = append(bricks, []string{"one", "two", "three"}[n]+":"+brick)
	}
	sums, err := summed(t.Context(), bricks)
	if err != nil {
		t.Fatal(err)
	}
	got := differing([]string{"one", "two", "three"}, sums)
	want := []string{
		"base/block: on two it is not as on one",
		"extra: on three it is not as on one",
		"log: on three it is not as on one",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := differing(bricks[:2], []checksums{sums[0], sums[0]}); len(got) > 0 {
		t.Errorf("equal copies differ: %q", got)
	}
}
