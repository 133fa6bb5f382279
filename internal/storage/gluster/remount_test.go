package gluster

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/test/nightly"
)

// What was just written and read comes from the medium after a remount, and from
// no cache of client, NFS server or brick.
func TestARemountEmptiesEveryCache(t *testing.T) {
	for _, c := range []struct{ access, geometry string }{
		{accessNative, "distributed 3"}, {accessNFS, "distributed 3"}, {accessNFS, "replica 3"},
	} {
		t.Run(c.access+" "+c.geometry, func(t *testing.T) {
			if c.access == accessNFS && c.geometry == "distributed 3" {
				nightly.Only(t, "the same by NFS with replica 3")
			}
			p := pool(t, Parameters{Peers: 3, Bricks: 1, Geometry: c.geometry, Access: c.access, Deployment: decoupled, Disk: small()})
			v, err := p.Provision(t.Context(), storage.Claim{Name: "db-000"})
			if err != nil {
				t.Fatal(err)
			}
			const files, size = 8, 1 << 20
			name := func(n int) string { return filepath.Join(v.Path, fmt.Sprintf("file%d", n)) }
			for n := range files {
				if err := os.WriteFile(name(n), make([]byte, size), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := p.Remount(t.Context())
			if err != nil || len(r.Kept) > 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			readAll := func() (fromMedia int64) {
				before := p.sectorsRead(t)
				for n := range files {
					if data, err := os.ReadFile(name(n)); err != nil || len(data) != size {
						t.Fatalf("%d bytes, %v", len(data), err)
					}
				}
				return 512 * (p.sectorsRead(t) - before)
			}
			if first := readAll(); first < files*size {
				t.Errorf("%d of %d bytes came from the media after a remount", first, files*size)
			}
			if again := readAll(); again > files*size/2 {
				t.Errorf("%d bytes came from the media although they had just been read", again)
			}
		})
	}
}

// sectorsRead sums the sectors read by all bricks' disks (iostats.rst of the kernel's
// documentation).
func (p *Pool) sectorsRead(t *testing.T) (sum int64) {
	t.Helper()
	for _, d := range p.Devices() {
		text, err := os.ReadFile(filepath.Join("/sys/block", d.Name, "stat"))
		if err != nil {
			t.Fatal(err)
		}
		var ios, merges, sectors int64
		if _, err := fmt.Sscan(string(text), &ios, &merges, &sectors); err != nil {
			t.Fatal(err)
		}
		sum += sectors
	}
	return sum
}
