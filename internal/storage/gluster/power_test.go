package gluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

// A peer loses its power. If its disk honours flushes, all copies are alike again once the
// pool is healed. If it does not, Gluster calls the pool healed and the comparison finds
// the stale copy, unless the file system did not even come back.
func TestPowerCutOfAPeer(t *testing.T) {
	volatile := false
	for name, c := range map[string]struct {
		disk disk.Parameters
		lies bool
	}{
		"keeps its word": {disk.Parameters{Media: "ssd-sas", Size: 1 << 30, Protected: &volatile}, false},
		"lies":           {disk.Parameters{Media: "ssd-sas", Size: 1 << 30, Lies: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled, Disk: &c.disk})
			different, err := cutPeer(t, p)
			switch {
			case err != nil && c.lies && strings.Contains(err.Error(), "did not survive"):
				t.Logf("caught: %v", err)
			case err != nil:
				t.Error(err)
			case c.lies != (len(different) > 0):
				t.Errorf("files with different copies: %q", different)
			default:
				t.Logf("files with different copies: %q", different)
			}
		})
	}
}

// cutPeer writes and flushes files, cuts the power of peer 2, brings it back
// and compares the copies.
func cutPeer(t *testing.T, p *Pool) (different []string, err error) {
	t.Helper()
	ctx := context.Background()
	v, err := p.Provision(ctx, storage.Claim{Name: "db-000"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	for n := range 8 {
		if err := flushed(filepath.Join(v.Path, fmt.Sprintf("file-%d", n)), bytes.Repeat([]byte{byte(n + 1)}, 512<<10)); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the client to take its marks off the files, a second after the last write", func() bool { return unmarked(t, p, v.Name) })
	loss, err := p.CutPower(ctx, "peer 2", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(loss)
	if _, err := p.Repair(ctx); err != nil {
		return nil, err
	}
	heals(t, p)
	copies, err := p.CheckCopies(ctx, storage.Volume{Name: v.Name})
	if err == nil && copies.Files != 8 {
		t.Errorf("%d files were compared", copies.Files)
	}
	return copies.Different, err
}

// unmarked reports whether no copy of a file is marked as being written to:
// counters in extended attributes, which a client raises before a write and lowers
// after it.
func unmarked(t *testing.T, p *Pool, volume string) bool {
	t.Helper()
	value := make([]byte, 64)
	for _, brick := range p.volumes[volume].bricks() {
		_, path, _ := strings.Cut(brick, ":")
		files, err := filepath.Glob(filepath.Join(path, "data", "file-*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", path, err)
		}
		for _, file := range files {
			n, err := unix.Lgetxattr(file, "trusted.afr.dirty", value)
			if err != nil && !errors.Is(err, unix.ENODATA) {
				t.Fatal(err)
			}
			if err == nil && len(bytes.Trim(value[:n], "\x00")) > 0 {
				return false
			}
		}
	}
	return true
}

// flushed writes a file and flushes it.
func flushed(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
