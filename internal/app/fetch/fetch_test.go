package fetch

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOnceGetsOnce(t *testing.T) {
	cache := t.TempDir()
	var gets atomic.Int32
	get := func(_ context.Context, into string) error {
		gets.Add(1)
		return os.WriteFile(filepath.Join(into, "engine"), []byte("x"), 0o755)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			dir, err := Once(t.Context(), cache, "engine-1", get)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := os.Stat(filepath.Join(dir, "engine")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if gets.Load() != 1 {
		t.Errorf("got %d times", gets.Load())
	}
}

func TestOnceLeavesNothingHalf(t *testing.T) {
	cache := t.TempDir()
	broken := errors.New("the line was cut")
	_, err := Once(t.Context(), cache, "engine-1", func(_ context.Context, into string) error {
		return errors.Join(broken, os.WriteFile(filepath.Join(into, "half"), nil, 0o600))
	})
	if !errors.Is(err, broken) {
		t.Fatalf("err %v", err)
	}
	dir, err := Once(t.Context(), cache, "engine-1", func(context.Context, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left from the first try: %v, %v", entries, err)
	}
}

func TestOnceWaitsNoLongerThanItsContext(t *testing.T) {
	cache := t.TempDir()
	unlock, err := lock(t.Context(), filepath.Join(cache, "engine-1.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Once(ctx, cache, "engine-1", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("err %v", err)
	}
}

func TestCacheDir(t *testing.T) {
	t.Setenv(CacheVariable, "/somewhere/else")
	if dir, err := CacheDir(); err != nil || dir != "/somewhere/else" {
		t.Errorf("%s, %v", dir, err)
	}
}

func archive(t *testing.T, names ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, n := range names {
		part, err := w.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func isBin(name string) bool { return strings.HasPrefix(name, "bin/") }

func TestUnzip(t *testing.T) {
	into := t.TempDir()
	if err := Unzip(archive(t, "other/x", "top/bin/server", "top/share/a/b.sql"), "top/", into, isBin); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"bin/server": 0o755, "share/a/b.sql": 0o644} {
		info, err := os.Stat(filepath.Join(into, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Stat(filepath.Join(into, "x")); err == nil {
		t.Error("unpacked what lies outside the prefix")
	}
}

func TestUnzipRefuses(t *testing.T) {
	for name, path := range map[string]string{
		"a way out":    archive(t, "top/../../evil"),
		"another jar":  archive(t, "else/x"),
		"no archive":   "/nonexistent.zip",
		"absolute way": archive(t, "top//etc/passwd"),
	} {
		if err := Unzip(path, "top/", t.TempDir(), isBin); err == nil {
			t.Errorf("%s was unpacked", name)
		}
	}
}

func TestMavenMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Maven(t.Context(), "g:a:1", t.TempDir()); !errors.Is(err, ErrNoMaven) {
		t.Errorf("err %v", err)
	}
}

func TestFirstError(t *testing.T) {
	out := "Downloading\n[ERROR] Could not find artifact g:a:1\n[ERROR] more\n"
	if got := firstError(out); got != "Could not find artifact g:a:1" {
		t.Errorf("%q", got)
	}
	if got := firstError(" plain words \n"); got != "plain words" {
		t.Errorf("%q", got)
	}
}

// Engines that another user may have put there are not run.
func TestEnginesOfAnotherUserAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make directories of other users")
	}
	t.Setenv("SUDO_UID", "")
	cache := filepath.Join(t.TempDir(), "engines")
	if err := errors.Join(os.MkdirAll(filepath.Join(cache, "engine-1"), 0o755), os.Chown(cache, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"engine-1", "engine-2"} {
		_, err := Once(t.Context(), cache, name, func(context.Context, string) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "uid 65534") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Servers that run as another user can use what was unpacked, whatever the umask is.
func TestUnpackedModesDoNotDependOnTheUmask(t *testing.T) {
	into := t.TempDir()
	file := archive(t, "x-1/bin/program", "x-1/share/text")
	was := unix.Umask(0o077)
	err := Unzip(file, "x-1/", into, isBin)
	unix.Umask(was)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"bin": 0o755, "bin/program": 0o755, "share/text": 0o644} {
		if info, err := os.Stat(filepath.Join(into, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestArchivesAreBounded(t *testing.T) {
	l := &limit{entries: 2, bytes: 4}
	if err := l.copy(io.Discard, strings.NewReader("1234")); err != nil {
		t.Error(err)
	}
	if err := l.copy(io.Discard, strings.NewReader("5")); err == nil {
		t.Error("more bytes than the limit")
	}
	if err := (&limit{bytes: 4}).copy(io.Discard, strings.NewReader("")); err == nil {
		t.Error("more entries than the limit")
	}
}
