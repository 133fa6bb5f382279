package gluster

import (
	"context"
	"os"
	"testing"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/storage/nfs"
	"plimsoll/test/nightly"
)

// TestMain lets this program be the helpers that the class starts.
func TestMain(m *testing.M) {
	storagetest.Main(m, map[string]storagetest.Helper{
		"medium": func(ctx context.Context, arguments []string) error {
			return medium.Main(ctx, arguments[1], os.Stdin, os.Stdout)
		},
		"nfsmount": func(ctx context.Context, arguments []string) error {
			return nfs.Main(ctx, arguments[1])
		},
	})
}

func TestConformance(t *testing.T) {
	for name, p := range map[string]*Parameters{
		"replica 3":          {Peers: 3, Bricks: 1, Geometry: "replica 3", Access: accessNative, Deployment: decoupled, Disk: small()},
		"4+2 on three peers": {Peers: 3, Bricks: 2, Geometry: "4+2", Access: accessNative, Deployment: decoupled, Disk: small()},
		"one copy by NFS":    {Peers: 1, Bricks: 1, Geometry: "distributed 1", Access: accessNFS, Deployment: decoupled, Disk: small()},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "4+2 on three peers" {
				nightly.Only(t, "TestConformance/replica 3, and TestVolumesSurviveWhatTheirGeometrySays/4+2")
			}
			t.Parallel()
			if err := (Kind{}).Usable(p); err != nil {
				t.Skip(err)
			}
			storagetest.Run(t, func(env storage.Env) (storage.Class, error) { return Kind{}.New("pool", p, env) })
		})
	}
}

// small is a disk of the test's own: free space on the machine's changes under
// the eyes of the test.
func small() *disk.Parameters { return &disk.Parameters{Media: "ssd-sas", Size: 2 << 30} }
