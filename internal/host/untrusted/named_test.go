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

// hostile makes a directory with a file, a link to it, a pipe, a link to an endless device,
// and a huge sparse file.
func hostile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600),
		os.Symlink("file", filepath.Join(dir, "link")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.Symlink("/dev/zero", filepath.Join(dir, "endless")),
		os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o600),
		os.Truncate(filepath.Join(dir, "sparse"), 1<<40),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A file that a user named is read over links; what has no end is refused.
func TestNamedFilesAreBounded(t *testing.T) {
	dir := hostile(t)
	for _, name := range []string{"file", "link"} {
		if text, err := untrusted.ReadNamed(filepath.Join(dir, name), 4); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if text, err := untrusted.Secret(filepath.Join(dir, name)); err != nil || text != "text" {
			t.Errorf("the secret %s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{
		"pipe": "not a regular file", "endless": "not a regular file", "sparse": "has 1099511627776 bytes", ".": "is a directory",
	} {
		if _, err := untrusted.ReadNamed(filepath.Join(dir, name), 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := untrusted.Filled(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("filled %s: %v", name, err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "file"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := untrusted.Secret(filepath.Join(dir, "link")); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a secret that others can read: %v", err)
	}
}

// A pipe in the place of a directory does not block a lookup below it.
func TestDirectoriesThatArePipes(t *testing.T) {
	dir := hostile(t)
	if _, err := untrusted.ReadDir(filepath.Join(dir, "pipe")); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a pipe was listed: %v", err)
	}
	if _, err := untrusted.Read(filepath.Join(dir, "pipe"), "file", 100); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file below a pipe was read: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub", "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	found, err := fs.Glob(untrusted.Tree(dir), "*/*")
	if err != nil || len(found) != 1 || found[0] != "sub/more" {
		t.Errorf("%q, %v", found, err)
	}
	for _, name := range []string{"pipe", "endless", "sparse", "../x"} {
		if f, err := untrusted.Tree(dir).Open(name); err == nil {
			t.Errorf("%s was opened", name)
			f.Close()
		}
	}
	if text, err := fs.ReadFile(untrusted.Tree(dir), "link"); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}
