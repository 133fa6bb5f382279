package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/trial"
)

// A work directory that another user has made first, with a link where root's log will be,
// is not worked in.
func TestAWorkDirectoryMadeByAnotherFirstIsNotAdopted(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make directories of other users")
	}
	t.Setenv("SUDO_UID", "")
	shared := t.TempDir()
	work, victim := filepath.Join(shared, "plimsoll-run"), filepath.Join(t.TempDir(), "victim")
	err := errors.Join(os.Chmod(shared, os.ModeSticky|0o777), os.Mkdir(work, 0o777), os.Mkdir(work+"/logs", 0o777),
		os.Symlink(victim, work+"/logs/t1-db-000.log"), os.Chown(work+"/logs", 65534, 65534), os.Chown(work, 65534, 65534))
	if err != nil {
		t.Fatal(err)
	}
	c := &Campaign{o: Options{Scratch: work}, env: trial.Env{Env: &instance.Env{}}}
	if err := c.makeScratch(); err == nil || !strings.Contains(err.Error(), "a directory of uid 65534") || !strings.Contains(err.Error(), "--work") {
		t.Errorf("a run says %v", err)
	}
	if _, err := os.Lstat(victim); err == nil {
		t.Error("a file is made through the link")
	}
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if err := c.makeScratch(); err != nil {
		t.Errorf("a name that nobody has: %v", err)
	}
}
