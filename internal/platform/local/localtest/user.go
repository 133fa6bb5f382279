package localtest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"plimsoll/test/quick"
)

// nobody is a plain user that every machine has.
const nobody = 65534

// AsPlainUser runs tests of this package's test program again, as a plain user, unless
// they have run as one already.
func AsPlainUser(t *testing.T, tests string) {
	t.Helper()
	quick.Skip(t, quick.Root)
	if os.Geteuid() != 0 {
		t.Skipf("%s has run as a plain user already", tests)
	}
	program := CopyProgram(t)
	home := filepath.Join(filepath.Dir(program), "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run="+tests, "-test.v")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("as uid %d: %v", nobody, err)
	}
}

// CopyProgram puts the test program into a directory where any user can run it, and
// which is gone at the end of the test.
func CopyProgram(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "plimsoll-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	path := filepath.Join(dir, "test")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, self); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
