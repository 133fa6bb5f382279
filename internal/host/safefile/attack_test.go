package safefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/owner"
	"plimsoll/internal/host/safefile"
)

// nobody is a user who attacks.
const nobody = 65534

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of other users")
	}
	t.Setenv("SUDO_UID", "")
	t.Setenv(owner.AloneVariable, "")
}

// shared is a directory like /var/tmp, which all may write to.
func shared(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(dir, fs.ModeSticky|0o777))
	return dir
}

// What another user has made under a name that he foresaw is used for nothing.
func TestNothingIsAdopted(t *testing.T) {
	needsRoot(t)
	for kind, plant := range map[string]func(path string) error{
		"a directory of uid 65534 (mode 0777)": func(path string) error {
			return errors.Join(os.Mkdir(path, 0o777), os.Chmod(path, 0o777), os.Chown(path, nobody, nobody))
		},
		"a link of uid 65534": func(path string) error {
			return errors.Join(os.Symlink("/etc", path), os.Lchown(path, nobody, nobody))
		},
		"a pipe of uid 65534": func(path string) error {
			return errors.Join(syscall.Mkfifo(path, 0o666), os.Chown(path, nobody, nobody))
		},
		"a file of uid 65534": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("his"), 0o666), os.Chown(path, nobody, nobody))
		},
	} {
		path := filepath.Join(shared(t), "plimsoll-run")
		must(t, plant(path))
		for act, err := range map[string]error{
			"make":   safefile.Make(path, 0o711),
			"ensure": safefile.Ensure(path, 0o711),
			"within": safefile.Make(filepath.Join(path, "logs"), 0o700),
			"create": second(safefile.Create(path, 0o600)),
		} {
			if err == nil {
				t.Errorf("%s: %s takes it", kind, act)
			} else if !strings.Contains(err.Error(), kind) && act != "within" {
				t.Errorf("%s: %s says %v", kind, act, err)
			}
		}
		for act, err := range map[string]error{"append": second(safefile.Append(path, 0o600)), "replace": second(safefile.Replace(path, 0o600))} {
			if err == nil {
				t.Errorf("%s: %s takes it", kind, act)
			}
		}
		if info, err := os.Lstat(path); err != nil || info.Mode().IsRegular() && info.Size() != int64(len("his")) {
			t.Errorf("%s: it is now %v, %v", kind, info, err)
		}
	}
}

func second(f *os.File, err error) error {
	if err == nil {
		_ = f.Close()
	}
	return err
}

// A log that another user has laid as a link or a second name is not written to.
func TestNoFileIsAppendedToThroughALink(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	must(t, os.WriteFile(victim, []byte("root only"), 0o600), os.Mkdir(filepath.Join(dir, "logs"), 0o700))
	for kind, plant := range map[string]func(from, to string) error{"link": os.Symlink, "name": os.Link} {
		log := filepath.Join(dir, "logs", kind)
		must(t, plant(victim, log))
		if err := second(safefile.Append(log, 0o600)); err == nil {
			t.Errorf("a second %s is appended to", kind)
		}
		if err := second(safefile.Replace(log, 0o600)); err == nil {
			t.Errorf("a second %s is emptied", kind)
		}
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "root only" {
		t.Errorf("%q, %v", text, err)
	}
}

// Directories that another user can change are no place for this user's files.
func TestPlacesThatAreProved(t *testing.T) {
	needsRoot(t)
	for _, c := range []struct {
		name string
		make func(dir string) error
		want string // of the error; empty passes
	}{
		{"root's", func(string) error { return nil }, ""},
		{"another user's", func(dir string) error { return os.Chown(dir, nobody, nobody) }, "uid 65534"},
		{"sticky, of another user", func(dir string) error {
			return errors.Join(os.Chmod(dir, fs.ModeSticky|0o777), os.Chown(dir, nobody, nobody))
		}, "uid 65534"},
		{"open to all", func(dir string) error { return os.Chmod(dir, 0o777) }, "every user"},
		{"sticky", func(dir string) error { return os.Chmod(dir, fs.ModeSticky|0o777) }, ""},
		{"open to a group", func(dir string) error { return errors.Join(os.Chmod(dir, 0o775), os.Chown(dir, 0, nobody)) }, "gid 65534"},
		{"open to root's group", func(dir string) error { return os.Chmod(dir, 0o775) }, ""},
	} {
		dir := filepath.Join(t.TempDir(), "dir")
		must(t, os.Mkdir(dir, 0o755), c.make(dir), os.Mkdir(filepath.Join(dir, "below"), 0o755))
		for _, path := range []string{dir, filepath.Join(dir, "below"), filepath.Join(dir, "missing", "below")} {
			err := safefile.Prove(path)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: Prove(%s) gives %v", c.name, path, err)
			}
		}
		if err := safefile.Make(filepath.Join(dir, "new"), 0o700); (err == nil) != (c.want == "") {
			t.Errorf("%s: something is made there: %v", c.name, err)
		}
	}
}

// A link of another user leads nowhere, and one of root leads on.
func TestLinksOnTheWay(t *testing.T) {
	needsRoot(t)
	dir := shared(t)
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o755), os.Symlink("real", filepath.Join(dir, "ours")),
		os.Symlink("real", filepath.Join(dir, "his")), os.Lchown(filepath.Join(dir, "his"), nobody, nobody),
		os.Symlink("round", filepath.Join(dir, "round")))
	if err := safefile.Make(filepath.Join(dir, "ours", "a"), 0o700); err != nil {
		t.Error(err)
	}
	if err := safefile.Make(filepath.Join(dir, "his", "b"), 0o700); err == nil || !strings.Contains(err.Error(), "a link of uid 65534") {
		t.Errorf("through another's link: %v", err)
	}
	if err := safefile.Prove(filepath.Join(dir, "round", "c")); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}
}

// Who called sudo has become root: his directories are as good as root's, and for nobody else.
func TestWhoCalledSudoIsTrusted(t *testing.T) {
	needsRoot(t)
	home := filepath.Join(t.TempDir(), "home")
	must(t, os.Mkdir(home, 0o755), os.Chown(home, nobody, nobody))
	for uid, good := range map[string]bool{"": false, "1": false, "65534": true} {
		t.Setenv("SUDO_UID", uid)
		if err := safefile.Prove(home); (err == nil) != good {
			t.Errorf("SUDO_UID=%s: %v", uid, err)
		}
	}
	t.Setenv("SUDO_UID", "")
	t.Setenv(owner.AloneVariable, "1")
	if err := safefile.Prove(home); err != nil {
		t.Errorf("where nobody else is: %v", err)
	}
}

// Owner and mode are those that were asked for, whatever the umask is.
func TestModesDoNotDependOnTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o027, 0o077} {
		dir := t.TempDir()
		was := unix.Umask(mask)
		root, err := os.OpenRoot(dir)
		if err == nil {
			err = safefile.MakeAll(root, "x/y", 0o755)
		}
		err = errors.Join(err, safefile.Make(filepath.Join(dir, "a", "b"), 0o711), safefile.Ensure(filepath.Join(dir, "c"), 0o711),
			safefile.Write(filepath.Join(dir, "file"), []byte("x"), 0o644), second(safefile.Create(filepath.Join(dir, "new"), 0o640)),
			second(safefile.Append(filepath.Join(dir, "log"), 0o600)))
		unix.Umask(was)
		must(t, err, root.Close())
		for name, want := range map[string]fs.FileMode{"a": 0o711, "a/b": 0o711, "c": 0o711, "x": 0o755, "x/y": 0o755, "file": 0o644, "new": 0o640, "log": 0o600} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has %v, %v; want %v", mask, name, info.Mode(), err, want)
			}
		}
	}
}

// A server that owns its directory has root write to no other file.
func TestFilesInAnotherUsersDirectory(t *testing.T) {
	needsRoot(t)
	dir := t.TempDir()
	victim, his := filepath.Join(dir, "victim"), filepath.Join(dir, "his")
	must(t, os.WriteFile(victim, []byte("root only"), 0o600), safefile.MakeFor(his, 0o700, nobody, nobody),
		os.Symlink(victim, filepath.Join(his, "config")), os.Symlink(dir, filepath.Join(his, "out")))
	must(t, safefile.WriteIn(his, "config", []byte("new"), 0o600, nobody, 0), safefile.WriteIn(his, "sub/dir/config", []byte("new"), 0o640, nobody, 0))
	if err := safefile.WriteIn(his, "out/victim", []byte("new"), 0o600, nobody, 0); err == nil {
		t.Error("a file outside is written")
	}
	for path, want := range map[string]struct {
		text string
		uid  uint32
		mode fs.FileMode
	}{victim: {"root only", 0, 0o600}, his + "/config": {"new", nobody, 0o600}, his + "/sub/dir/config": {"new", nobody, 0o640}} {
		text, err := os.ReadFile(path)
		info, statErr := os.Lstat(path)
		must(t, err, statErr)
		if uid := info.Sys().(*syscall.Stat_t).Uid; string(text) != want.text || uid != want.uid || info.Mode().Perm() != want.mode {
			t.Errorf("%s: %q of uid %d, %v", path, text, uid, info.Mode())
		}
	}
	if err := safefile.GiveTree(his, 0, 0); err != nil {
		t.Fatal(err)
	}
	var s unix.Stat_t
	must(t, unix.Lstat(victim, &s))
	if s.Uid != 0 {
		t.Error("the victim was given away")
	}
	must(t, safefile.GiveTree(his, nobody, nobody), unix.Lstat(victim, &s))
	if s.Uid != 0 {
		t.Error("a tree is given away through a link")
	}
	must(t, unix.Lstat(his+"/sub/dir/config", &s))
	if s.Uid != nobody {
		t.Error("the tree was not given")
	}
}

// An own directory is used again, and one's own file, by an interrupted run that goes on.
func TestWhatIsOwnIsUsedAgain(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		must(t, safefile.Ensure(filepath.Join(dir, "logs"), 0o700), second(safefile.Append(filepath.Join(dir, "log"), 0o600)),
			second(safefile.Replace(filepath.Join(dir, "log"), 0o600)), safefile.Write(filepath.Join(dir, "state"), []byte("x"), 0o600))
	}
	if err := safefile.Make(filepath.Join(dir, "logs"), 0o700); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory is made again: %v", err)
	}
	if os.Geteuid() == 0 {
		must(t, os.Chmod(filepath.Join(dir, "logs"), 0o777))
		if err := safefile.Ensure(filepath.Join(dir, "logs"), 0o700); err == nil || !strings.Contains(err.Error(), "every user can write to") {
			t.Errorf("an own directory that is open to all: %v", err)
		}
	}
}
