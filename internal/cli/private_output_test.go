package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// What others are not to read is not written where they can, and leaves nothing when it fails.
func TestPrivateOutputIsThisUsersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "help.tar.gz")
	write := func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	broken := errors.New("broken")
	if err := toPrivateFile(path, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a failure: %v", err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a failure leaves a file")
	}
	for range 2 { // an own one is written again
		if err := toPrivateFile(path, write); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := toPrivateFile(path, write); err == nil {
		t.Error("a file that others can read is written to")
	}
	link := filepath.Join(filepath.Dir(path), "link")
	if err := os.Symlink("/tmp/no-such-file", link); err != nil {
		t.Fatal(err)
	}
	if err := toPrivateFile(link, write); err == nil {
		t.Error("a link that somebody laid is followed to a new file")
	}
}
