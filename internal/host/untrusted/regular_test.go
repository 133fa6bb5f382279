package untrusted_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/host/untrusted"
)

func TestRead(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(outside, []byte("secret"), 0o600))
	must(os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "sub", "file"), []byte("text"), 0o600))
	must(os.Symlink("sub/file", filepath.Join(dir, "inside")))
	must(os.Symlink(outside, filepath.Join(dir, "out")))
	must(os.Symlink("/no/such/file", filepath.Join(dir, "out-to-nothing")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600))
	must(os.Truncate(filepath.Join(dir, "huge"), 1<<40))

	for _, name := range []string{"sub/file", "inside"} {
		if text, err := untrusted.Read(dir, name, 100); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{
		"out": "points outside", "out-to-nothing": "points outside", "../x": "points outside", "pipe": "not a regular file",
		"huge": "has 1099511627776 bytes", "sub": "is a directory",
	} {
		if text, err := untrusted.Read(dir, name, 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, err := untrusted.Read(dir, "nothing", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for name, good := range map[string]bool{"new": true, "inside": true, "out": false, "out-to-nothing": false, "pipe": false} {
		f, err := untrusted.Append(dir, name)
		if (err == nil) != good {
			t.Errorf("to append to %s: %v", name, err)
		}
		if err == nil {
			must(f.Close())
		}
	}
	for name, good := range map[string]bool{"sub/file": true, "inside": true, "nothing": true, "out": false, "out-to-nothing": false} {
		if err := untrusted.Inside(dir, name); (err == nil) != good {
			t.Errorf("to write to %s: %v", name, err)
		}
	}
}
