package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/platform/logfile"
)

const attacker = 65534

func attacked(t *testing.T) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make directories of other users")
	}
	t.Setenv("SUDO_UID", "")
	return t.TempDir()
}

// Logs are not written where another user has made the directory, or laid a link.
func TestLogsOfAnotherUserAreNotAppendedTo(t *testing.T) {
	work := attacked(t)
	logs, victim := filepath.Join(work, "logs"), filepath.Join(work, "victim")
	err := errors.Join(os.Mkdir(logs, 0o777), os.Symlink(victim, filepath.Join(logs, "x.log")), os.Chown(logs, attacker, attacker))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(Env{RunID: "attack", Work: work}); err == nil || !strings.Contains(err.Error(), "a directory of uid 65534") {
		t.Errorf("the platform says %v", err)
	}
	for _, owner := range []int{attacker, 0} {
		if err := os.Chown(logs, owner, owner); err != nil {
			t.Fatal(err)
		}
		if _, f, err := logfile.Open(filepath.Join(logs, "x.log")); err == nil {
			t.Errorf("in a directory of uid %d a link is followed", owner)
			_ = f.Close()
		}
	}
	if _, err := os.Lstat(victim); err == nil {
		t.Error("a file is made through the link")
	}
}

// Golden volumes are programs' data for later runs, and none of another user's are used.
func TestACacheOfAnotherUserIsRefused(t *testing.T) {
	cache := filepath.Join(attacked(t), "golden")
	if err := errors.Join(os.Mkdir(cache, 0o755), os.Chown(cache, attacker, attacker)); err != nil {
		t.Fatal(err)
	}
	if _, err := store(cache).use(t.Context()); err == nil || !strings.Contains(err.Error(), "uid 65534") {
		t.Errorf("it is used: %v", err)
	}
}

// A server cannot have root write its files elsewhere by links in its directories.
func TestFilesOfAServerStayInItsDirectories(t *testing.T) {
	dir := attacked(t)
	victim, runtime := filepath.Join(dir, "victim"), filepath.Join(dir, "1")
	who := owner{attacker, attacker, true}
	err := errors.Join(os.WriteFile(victim, []byte("root only"), 0o600), who.makePrivate(runtime, false),
		os.Symlink(victim, filepath.Join(runtime, "passwd")), os.Symlink(victim, filepath.Join(runtime, "my.conf")))
	if err != nil {
		t.Fatal(err)
	}
	at := app.Surroundings{Runtime: runtime}
	if err := write(app.File{Path: "${RUNTIME}/my.conf", Content: "new", Mode: 0o600}, at, who); err != nil {
		t.Error(err)
	}
	if _, err := who.showName(filepath.Join(runtime, "passwd")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "root only" {
		t.Errorf("the victim has %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(runtime, "my.conf")); err != nil || string(text) != "new" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
