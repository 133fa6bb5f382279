package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/platform"
)

func TestGoldenVolumesInUseAreNotRemoved(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "golden")
	if n, err := store(cache).Remove(t.Context()); n != 0 || err != nil {
		t.Fatalf("a cache that does not exist: %d, %v", n, err)
	}
	one, err := store(cache).use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := store(cache).use(t.Context()) // runs share it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(cache, "postgres", "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store(cache).Remove(t.Context()); !errors.Is(err, platform.ErrGoldenBusy) {
		t.Fatalf("in use, but: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := store(cache).Remove(t.Context()); n != 1 || err != nil {
		t.Fatalf("removed %d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(cache, "postgres")); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

// A run begins while another one, which has ended, trims the cache that they share.
func TestARunWaitsForWhoTrims(t *testing.T) {
	cache := store(t.TempDir())
	trimming, err := cache.lock(unix.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := cache.use(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another run trims: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = trimming.Close() })
	using, err := cache.use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := using.Close(); err != nil {
		t.Error(err)
	}
}

func TestCacheIsTrimmedToWhatWasUsedLast(t *testing.T) {
	cache := t.TempDir()
	for i, name := range []string{"old", "middle", "new"} {
		dir := filepath.Join(cache, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "data"), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		mark := filepath.Join(dir, goldenFile)
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(mark, used, used); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (names []string) {
		all, err := store(cache).list()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			names = append(names, filepath.Base(c.dir))
		}
		return names
	}
	if n, bytes, err := store(cache).Size(t.Context()); n != 3 || bytes < 3<<20 || err != nil {
		t.Errorf("the cache holds %d of %d bytes, %v", n, bytes, err)
	}
	using, err := store(cache).use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store(cache).trim(1); err != nil || len(left()) != 3 {
		t.Errorf("a cache in use was trimmed to %v, %v", left(), err)
	}
	using.Close()
	for _, c := range []struct {
		limit int64
		want  []string
	}{{0, []string{"old", "middle", "new"}}, {5 << 19, []string{"middle", "new"}}, {1, []string{"new"}}} {
		if err := store(cache).trim(c.limit); err != nil || !slices.Equal(left(), c.want) {
			t.Errorf("with a limit of %d bytes, %v are left, want %v (%v)", c.limit, left(), c.want, err)
		}
	}
}
