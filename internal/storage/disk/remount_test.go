package disk_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/test/quick"
)

// The medium's losses show after a remount, and not before it: until then the page cache
// answers.
func TestRemountReadsTheMedium(t *testing.T) {
	quick.Skip(t, quick.Media)
	for _, fs := range []string{"xfs", "ext4"} {
		t.Run(fs, func(t *testing.T) {
			class, env := up(t, "remount-"+fs+"-test", &disk.Parameters{Media: "ssd-sas", FileSystem: fs, Size: 1 << 30})
			v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
			if err != nil {
				t.Fatal(err)
			}
			want := bytes.Repeat([]byte("Plimsoll"), 1<<14)
			path := filepath.Join(v.Path, "file")
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := class.Capabilities().Remount(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); !bytes.Equal(got, want) {
				t.Fatal("what was written is not there after a remount")
			}
			unpin := pin(t, path)
			lose(t, filepath.Join(env.Scratch, journal.Name(env.RunID, "sim"), "image"), want)
			if got := read(t, path); !bytes.Equal(got, want) {
				t.Fatal("the loss shows already: this test tests nothing")
			}
			unpin()
			copied(t, path)
			if _, err := class.Capabilities().Remount(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); bytes.Equal(got, want) {
				t.Error("the page cache hides the loss although the medium was remounted")
			}
		})
	}
}

// A copy of the mount that stays keeps the page cache: that is said, and whose it is.
func TestRemountNamesWhoHasTheMount(t *testing.T) {
	quick.Skip(t, quick.Media)
	class, _ := up(t, "remount-held-test", &disk.Parameters{Media: "ssd-sas"})
	who, end := held(t)
	impatient, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := class.Capabilities().Remount(impatient); err == nil || !strings.Contains(err.Error(), who) {
		t.Errorf("%q is not said: %v", who, err)
	}
	end()
	if _, err := class.Capabilities().Remount(t.Context()); err != nil {
		t.Error(err)
	}
}

// pin keeps a file in the page cache until it is called off: a kernel that
// reclaims memory would show the loss too early.
func pin(t *testing.T, path string) (unpin func()) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mlock(pages); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Munmap(pages); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// copied has another mount namespace hold a copy of the mount for a while, as any service
// that happens to start would.
func copied(t *testing.T, path string) {
	t.Helper()
	other := exec.Command("unshare", "--mount", "sh", "-c", `test -e "$0" && echo it has it && exec sleep 1 > /dev/null`, path)
	out, err := other.StdoutPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.Wait(); err != nil {
			t.Error(err)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the other namespace has no copy: %q, %v", line, err)
	}
}

// lose zeroes where the image holds a text.
func lose(t *testing.T, image string, text []byte) {
	t.Helper()
	f, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const block = 4096
	have, lost := make([]byte, block), 0
	for at := int64(0); ; at += block {
		n, _ := f.ReadAt(have, at)
		if n == 0 {
			break
		}
		if bytes.Equal(have[:n], text[:n]) {
			if _, err := f.WriteAt(make([]byte, block), at); err != nil {
				t.Fatal(err)
			}
			lost++
		}
	}
	if lost == 0 {
		t.Fatal("the image does not hold what was written")
	}
}

// A server that still runs is named: unmounting it would be no clean end.
func TestRemountWhileInUse(t *testing.T) {
	quick.Skip(t, quick.Media)
	class, _ := up(t, "remount-busy-test", &disk.Parameters{Media: "ssd-sas"})
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(v.Path, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = class.Capabilities().Remount(t.Context())
	if err == nil || !strings.Contains(err.Error(), "in use by disk.test") {
		t.Errorf("a volume in use was remounted, or its user is not named: %v", err)
	}
	if _, err := class.Provision(t.Context(), storage.Claim{Name: "two"}); err != nil {
		t.Errorf("a remount that was refused broke the class: %v", err)
	}
}
