package disk_test

import (
	"context"
	"os"
	"testing"

	"plimsoll/internal/conformance/storagetest"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/medium"
)

func TestMain(m *testing.M) {
	storagetest.Main(m, map[string]storagetest.Helper{
		"medium": func(ctx context.Context, arguments []string) error {
			return medium.Main(ctx, arguments[1], os.Stdin, os.Stdout)
		},
		holderCommand: hold,
	})
}

// needsMedia skips the test where media cannot be simulated, with the reason.
func needsMedia(t *testing.T, p *disk.Parameters) {
	t.Helper()
	if err := (disk.Kind{}).Usable(p); err != nil {
		t.Skip(err)
	}
}

func TestConformance(t *testing.T) {
	for name, p := range map[string]*disk.Parameters{
		"hdd on xfs":            {Media: "hdd-7200", FileSystem: "xfs"},
		"ssd on ext4":           {Media: "ssd-sas", FileSystem: "ext4"},
		"ssd on btrfs":          {Media: "ssd-sas", FileSystem: "btrfs"},
		"nvme on xfs in memory": {Media: "nvme", FileSystem: "xfs", Image: "memory", Size: 4 << 30},
		"tier on xfs":           {Media: "hdd-7200", Tier: &disk.Tier{Size: 64 << 20}},
		"raid 5 on xfs":         {Media: "hdd-7200", RAID: &disk.RAID{Level: 5, Drives: 6, Cache: 64 << 20, Protected: true}},
	} {
		t.Run(name, func(t *testing.T) {
			needsMedia(t, p)
			storagetest.Run(t, func(env storage.Env) (storage.Class, error) {
				return disk.Kind{}.New("sim", p, env)
			})
		})
	}
}
