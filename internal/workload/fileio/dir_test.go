package fileio

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// opened is a new volume.
func opened(t *testing.T) *Root {
	t.Helper()
	r, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() }) // nothing was written through it
	return r
}

// Both ways to open a directory find it, and follow no link.
func TestDirectoriesAreOpenedInBothWays(t *testing.T) {
	outside, r := t.TempDir(), opened(t)
	for _, path := range []string{"a", "a/b"} {
		if err := r.Make(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(r.Path(), "out")); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string) (int, error){"at once": r.openAtOnce, "by parts": r.openByParts} {
		for path, want := range map[string]bool{".": true, "a": true, "a/b": true, "out": false, "..": false, "a/../..": false, "b": false, outside: false} {
			fd, err := open(path)
			if (err == nil) != want {
				t.Errorf("%s: %s: %v", name, path, err)
			}
			if err == nil {
				_ = unix.Close(fd)
			}
		}
	}
}

// All names come back, however many there are, and again.
func TestNamesOfALargeDirectory(t *testing.T) {
	d, err := opened(t).Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	var want []string
	for i := range 2000 { // more than one call reads
		want = append(want, fmt.Sprintf("a file with a long name, number %05d", i))
		f, err := d.Open(want[i], OpenMode{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		names, err := d.Names()
		if slices.Sort(names); err != nil || !slices.Equal(names, want) {
			t.Fatalf("%d names, want %d: %v", len(names), len(want), err)
		}
	}
}
