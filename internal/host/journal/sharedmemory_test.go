package journal

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestSegments(t *testing.T) {
	table := "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap\n" +
		"1204812380         52   600               1048576  6096  6103      0 65534 65534 65534 65534 1795233495 1795233495 1795233490                 90112                     0\n"
	want := []segment{{id: 52, maker: 6096, attached: 0, uid: 65534, made: 1795233490}}
	if diff := cmp.Diff(want, segments(table), cmp.AllowUnexported(segment{})); diff != "" {
		t.Error(diff)
	}
}

// holdVariable has this program map the file that it names, and wait to be killed.
const holdVariable = "PLIMSOLL_TEST_HOLD"

func TestHold(t *testing.T) {
	path := os.Getenv(holdVariable)
	if path == "" {
		t.Skip("a helper of other tests")
	}
	mapFile(t, path)
	_, _ = os.Stdout.WriteString("mapped\n")
	select {}
}

func mapFile(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(content); err != nil {
			t.Error(err)
		}
	})
}

// holding starts a process that has a file mapped.
func holding(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHold$")
	// It is killed: what it makes for itself goes with the test.
	cmd.Env = append(os.Environ(), holdVariable+"="+path, "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // gone already is as good
		_ = cmd.Wait()
	})
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the process does not map %s: %v", path, err)
	}
	return cmd
}

func memoryFile(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "plimsoll-test-")
	if err != nil {
		t.Skipf("there is no shared memory: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(f.Name()) }) // the test may have removed it
	if err := errors.Join(f.Truncate(4096), f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

func TestSharedMemoryOfAKilledProcessIsRemoved(t *testing.T) {
	path := memoryFile(t, memoryFiles)
	cmd := holding(t, path)
	var m SharedMemory
	m.Note(cmd.Process.Pid)
	killed(t, cmd)
	if err := m.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", path, err)
	}
}

// What others use, what took the name since, and files of a volume in memory stay.
func TestSharedMemoryOfOthersStays(t *testing.T) {
	dir, err := os.MkdirTemp(memoryFiles, "plimsoll-test-")
	if err != nil {
		t.Skipf("there is no shared memory: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for name, c := range map[string]struct {
		in   string
		then func(t *testing.T, path string)
	}{
		"another process uses it":   {memoryFiles, mapFile},
		"another file has its name": {memoryFiles, replace},
		"a file of a volume":        {dir, func(*testing.T, string) {}},
	} {
		t.Run(name, func(t *testing.T) {
			path := memoryFile(t, c.in)
			cmd := holding(t, path)
			var m SharedMemory
			m.Note(cmd.Process.Pid)
			killed(t, cmd)
			c.then(t, path)
			if err := m.Remove(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func replace(t *testing.T, path string) {
	t.Helper()
	other := memoryFile(t, filepath.Dir(path))
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
}
