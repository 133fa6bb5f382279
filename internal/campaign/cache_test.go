package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestGoldenVolumesInUseAreNotRemoved(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "golden")
	if n, err := RemoveGolden(cache); n != 0 || err != nil {
		t.Fatalf("a cache that does not exist: %d, %v", n, err)
	}
	one, err := useGolden(cache)
	if err != nil {
		t.Fatal(err)
	}
	other, err := useGolden(cache) // runs share it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(cache, "postgres", "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := RemoveGolden(cache); !errors.Is(err, ErrGoldenBusy) {
		t.Fatalf("in use, but: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := RemoveGolden(cache); n != 1 || err != nil {
		t.Fatalf("removed %d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(cache, "postgres")); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}
