package storagetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/host/mounts"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/volumes"
)

// remounts asks a class that can do it to take its volumes out of all caches.
func remounts(t *testing.T, b *bench) {
	remount := b.class.Capabilities().Remount
	if remount == nil {
		t.Skip("this class does not remount its volumes")
	}
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")})
	b.must("provision", err)
	_, err = b.class.Settle(b.ctx)
	b.must("settle", err)
	file, want := filepath.Join(v.Path, "file"), bytes.Repeat([]byte("plimsoll"), 1<<20)
	for range 2 {
		b.must("write without a flush", os.WriteFile(file, want, 0o600))
		done, err := remount(b.ctx)
		b.must("remount", err)
		t.Log(done)
		b.isDropped(v, done.String())
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the contents are others after a remount (%v)", err)
		}
		b.checkOwner(v, v.Path)
	}
	_, err = b.class.Provision(b.ctx, storage.Claim{Name: b.named("two")})
	b.must("provision after a remount", err)
	b.must("delete after a remount", b.class.Delete(b.ctx, v))
}

// isDropped looks for what a remount left in the page cache and did not admit.
func (b *bench) isDropped(v storage.Volume, done string) {
	b.t.Helper()
	if done == "" {
		b.t.Error("a remount does not say what it did")
	}
	mount, err := mounts.Find(v.Path)
	b.must("find the mount", err)
	if mount.InMemory() || strings.Contains(done, "kept") {
		return
	}
	cached, err := volumes.Cached(b.ctx, v.Path)
	b.must("look into the page cache", err)
	if cached > 0 {
		b.t.Errorf("%d bytes of the volume are in the page cache after a remount", cached)
	}
}
