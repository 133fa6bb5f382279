package directory_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/owner"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/directory"
)

// nobody is a user who attacks.
const nobody = 65534

func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make directories of other users")
	}
	t.Setenv("SUDO_UID", "")
	t.Setenv(owner.AloneVariable, "")
}

// The owner of a directory can put a link in the place of a file that root makes there.
func TestAPathOfAnotherUserIsRefused(t *testing.T) {
	asRoot(t)
	path := filepath.Join(t.TempDir(), "st")
	if err := errors.Join(os.Mkdir(path, 0o755), os.Chown(path, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	p := &directory.Parameters{Path: path}
	if err := (directory.Kind{}).Usable(p); err == nil || !strings.Contains(err.Error(), "uid 65534") || !strings.Contains(err.Error(), "chown 0 ") {
		t.Errorf("the plan says %v", err)
	}
	class, err := directory.Kind{}.New("a", p, storage.Env{RunID: "attack", Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err == nil {
		t.Error("a run takes it")
	}
	t.Setenv("SUDO_UID", "65534") // who called sudo has the rights of root
	if err := class.Up(t.Context()); err != nil {
		t.Errorf("by sudo of its owner: %v", err)
	}
	if err := class.Down(t.Context()); err != nil {
		t.Error(err)
	}
}

// A directory that another user has made first, under the name of the run's, is not taken
// for it, and not removed.
func TestADirectoryMadeByAnotherFirstIsNotAdopted(t *testing.T) {
	asRoot(t)
	shared := t.TempDir()
	home, victim := filepath.Join(shared, journal.Name("attack", "a")), filepath.Join(t.TempDir(), "victim")
	err := errors.Join(os.Chmod(shared, os.ModeSticky|0o777), os.Mkdir(victim, 0o700), os.Mkdir(home, 0o777), os.Mkdir(home+"/volumes", 0o777),
		os.Symlink(victim, home+"/volumes/v"), os.Chown(home+"/volumes", nobody, nobody), os.Chown(home, nobody, nobody))
	if err != nil {
		t.Fatal(err)
	}
	class, err := directory.Kind{}.New("a", &directory.Parameters{Path: shared}, storage.Env{RunID: "attack", Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Up(t.Context()); err == nil || !strings.Contains(err.Error(), "a directory of uid 65534") {
		t.Errorf("a run says %v", err)
	}
	if err := class.Down(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(home + "/volumes/v"); err != nil {
		t.Errorf("another's file was removed: %v", err)
	}
	if info, err := os.Stat(victim); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the victim has changed: %v, %v", info, err)
	}
}
