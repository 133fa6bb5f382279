package command

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := ToFile(path, write(text)); err != nil {
		t.Fatal(err)
	}
}

func wantContent(t *testing.T, path, want string) os.FileInfo {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("%s holds %q, want %q (%v)", path, text, want, err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// As root, `report -o /dev/null` put a file in the place of the device.
func TestOutputToADeviceLeavesTheDevice(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to make a device")
	}
	null := filepath.Join(t.TempDir(), "null")
	if err := unix.Mknod(null, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
		t.Skip("this machine does not let devices be made here: ", err)
	}
	mustWrite(t, null, "report")
	if info, err := os.Lstat(null); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("the device became %v (%v)", info.Mode(), err)
	}
}

func TestOutputToAPipeIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			t.Error(err)
			close(read)
			return
		}
		defer f.Close()
		text, _ := bufio.NewReader(f).ReadString('\n')
		read <- text
	}()
	mustWrite(t, path, "report\n")
	if got := <-read; got != "report\n" {
		t.Errorf("the reader of the pipe got %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v (%v)", info.Mode(), err)
	}
}

func TestOutputFollowsLinksAndKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, link, "new")
	if info := wantContent(t, real, "new"); info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v", info.Mode())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v (%v)", info.Mode(), err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink("made", dangling); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dangling, "new")
	wantContent(t, filepath.Join(dir, "made"), "new")
}

// A report that cannot be made leaves what was there, and no empty file.
func TestOutputIsWholeOrNotAtAll(t *testing.T) {
	old, fresh := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "fresh")
	mustWrite(t, old, "old")
	broken := errors.New("broken")
	for _, path := range []string{old, fresh} {
		if err := ToFile(path, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("%s: %v", path, err)
		}
	}
	wantContent(t, old, "old")
	if _, err := os.Lstat(fresh); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file was left: %v", err)
	}
}
