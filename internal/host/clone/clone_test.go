package clone

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTreeCountsAndTells(t *testing.T) {
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	write(t, filepath.Join(src, "a"), strings.Repeat("a", 100000))
	write(t, filepath.Join(src, "b/c"), "c")
	if err := os.Symlink("a", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(src, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var shares []float64
	stats, err := Tree(t.Context(), src, dst, Options{UID: Keep, GID: Keep, Progress: func(share float64) {
		mu.Lock()
		defer mu.Unlock()
		shares = append(shares, share)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Files != 2 || stats.Directories != 2 || stats.Links != 1 || stats.Skipped != 1 || stats.Bytes != 100001 {
		t.Errorf("%+v", stats)
	}
	if stats.Reflinked == 0 && stats.Copied == 0 {
		t.Errorf("neither shared nor copied: %+v", stats)
	}
	if len(shares) != 2 || slices.Max(shares) != 1 {
		t.Errorf("progress was %v", shares)
	}
}

// Object stores keep the metadata of buckets and objects there.
func TestTreeKeepsTheAttributesOfUsers(t *testing.T) {
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	write(t, filepath.Join(src, "bucket/object"), "x")
	want := map[string]string{"bucket": "its owner", "bucket/object": "\x00etag"}
	for path, value := range want {
		if err := unix.Setxattr(filepath.Join(src, path), "user.of", []byte(value), 0); errors.Is(err, unix.ENOTSUP) {
			t.Skip("the file system of temporary files has no extended attributes")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Tree(t.Context(), src, dst, Options{UID: Keep, GID: Keep}); err != nil {
		t.Fatal(err)
	}
	for path, value := range want {
		got := make([]byte, 64)
		n, err := unix.Getxattr(filepath.Join(dst, path), "user.of", got)
		if err != nil || string(got[:n]) != value {
			t.Errorf("%s has %q, %v", path, got[:max(0, n)], err)
		}
	}
}

func TestTreeRefusesLinksOutside(t *testing.T) {
	for _, to := range []string{"/etc/passwd", "../../elsewhere", ".."} {
		src := filepath.Join(t.TempDir(), "src")
		write(t, filepath.Join(src, "dir/file"), "x")
		if err := os.Symlink(to, filepath.Join(src, "link")); err != nil {
			t.Fatal(err)
		}
		_, err := Tree(t.Context(), src, filepath.Join(t.TempDir(), "copy"), Options{UID: Keep, GID: Keep})
		if err == nil || !strings.Contains(err.Error(), "points outside the tree") {
			t.Errorf("a link to %s: %v", to, err)
		}
	}
}

func TestTreeRefusesAnOccupiedPlace(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	write(t, filepath.Join(src, "a"), "a")
	write(t, filepath.Join(dst, "b"), "b")
	if _, err := Tree(t.Context(), src, dst, Options{UID: Keep, GID: Keep}); err == nil {
		t.Error("a tree was copied over another")
	}
	if _, err := Tree(t.Context(), filepath.Join(src, "none"), filepath.Join(dst, "c"), Options{}); err == nil {
		t.Error("a tree that is not there was copied")
	}
}

func TestTreeStopsWhenCancelled(t *testing.T) {
	src := t.TempDir()
	write(t, filepath.Join(src, "a"), "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Tree(ctx, src, filepath.Join(t.TempDir(), "copy"), Options{UID: Keep, GID: Keep}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A file system of a megabyte fills up: the error tells what would be needed.
func TestTreeSaysHowMuchSpaceItNeeds(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	small := t.TempDir()
	if err := unix.Mount("small", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no tmpfs can be mounted here: %v", err)
	}
	defer func() {
		if err := unix.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	}()
	src := t.TempDir()
	write(t, filepath.Join(src, "big"), strings.Repeat("x", 3<<20))
	_, err := Tree(t.Context(), src, filepath.Join(small, "copy"), Options{UID: Keep, GID: Keep})
	var full *NoSpaceError
	if !errors.As(err, &full) || full.Needed < 3<<20 || full.Free > 1<<20 || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("a full file system: %v", err)
	}
}

// Where the file system fills up on the way, the same error comes.
func TestExplain(t *testing.T) {
	x := &tree{dst: t.TempDir(), allocated: 42}
	var full *NoSpaceError
	if err := x.explain(&os.PathError{Op: "write", Err: unix.ENOSPC}); !errors.As(err, &full) || full.Needed != 42 {
		t.Errorf("explained as %v", err)
	}
}

func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	write(t, filepath.Join(dir, "a/b"), "b")
	for range 2 {
		if err := Remove(dir); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkTree(b *testing.B) {
	src := b.TempDir()
	for i := range 1000 {
		path := filepath.Join(src, string(rune('a'+i%26)), strings.Repeat("f", 1+i/26))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, 32<<10), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(1000 * 32 << 10)
	for b.Loop() {
		dst := filepath.Join(b.TempDir(), "copy")
		if _, err := Tree(b.Context(), src, dst, Options{UID: Keep, GID: Keep}); err != nil {
			b.Fatal(err)
		}
		if err := Remove(dst); err != nil {
			b.Fatal(err)
		}
	}
}
