package ceph

import (
	"context"
	"os"
	"testing"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/medium"
	"plimsoll/test/nightly"
	"plimsoll/test/quick"
)

// TestMain lets this program be the helper that the disks start.
func TestMain(m *testing.M) {
	storagetest.Main(m, map[string]storagetest.Helper{
		"medium": func(ctx context.Context, arguments []string) error {
			return medium.Main(ctx, arguments[1], os.Stdin, os.Stdout)
		},
	})
}

func TestConformance(t *testing.T) {
	quick.Skip(t, quick.Media)
	t.Parallel()
	for _, access := range []string{accessRBD, accessCephFS} {
		t.Run(access, func(t *testing.T) {
			t.Parallel()
			if access == accessCephFS {
				nightly.Only(t, "TestCephFS, and the suite on images")
			}
			p := Kind{}.Defaults().(*Parameters)
			p.Disk, p.Access = small(), access
			if access == accessRBD {
				p.ImageSize = 512 << 20
			}
			if err := (Kind{}).Usable(p); err != nil {
				t.Skip(err)
			}
			storagetest.Run(t, func(env storage.Env) (storage.Class, error) { return Kind{}.New("pool", p, env) })
		})
	}
}

// small is a disk of the test's own, which loses what was not flushed when its power is cut.
func small() *disk.Parameters {
	volatile := false
	return &disk.Parameters{Media: "ssd-sas", Size: 4 << 30, Protected: &volatile}
}
