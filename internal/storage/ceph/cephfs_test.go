package ceph

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// Volumes are directories of CephFS: none has files of another, what was flushed is there
// after a power cut of the whole cluster, twice, and a deleted one is gone.
func TestCephFS(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	p := Kind{}.Defaults().(*Parameters)
	p.Disk, p.Access = small(), accessCephFS
	c := pool(t, p)
	one, other := provision(t, c, "one"), provision(t, c, "other")
	path := filepath.Join(one.Path, "kept")
	if err := flushed(path, "load line"); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(2) {
		if _, err := c.CutPower(t.Context(), "", seed); err != nil {
			t.Fatal(err)
		}
		if err := c.RestorePower(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); string(text) != "load line" {
			t.Fatalf("it holds %q, %v", text, err)
		}
	}
	if entries, err := os.ReadDir(other.Path); err != nil || len(entries) > 0 {
		t.Errorf("the other volume holds %v, %v", entries, err)
	}
	if err := c.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the deleted volume is still there")
	}
}

func provision(t *testing.T, c *Pool, name string) storage.Volume {
	t.Helper()
	v, err := c.Provision(t.Context(), storage.Claim{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
