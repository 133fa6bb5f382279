package ceph

import (
	"context"

	"plimsoll/internal/describe/doctor"
)

// Checks looks at what clusters need.
func (k Kind) Checks(ctx context.Context) []doctor.Check {
	const none = "no Ceph clusters"
	return []doctor.Check{
		doctor.Root(none), doctor.FUSE("no images of Ceph"),
		doctor.Installed("Ceph", "ceph-osd "+doctor.Versions(ctx, k.Programs())["ceph-osd"], none, packages()),
		doctor.Installed("CephFS", "installed", "no access to Ceph clusters by CephFS", filePackages()),
		doctor.Installed("RGW", "installed", "no buckets of Ceph clusters", storePackages()),
	}
}

// Programs are those that a cluster consists of.
func (Kind) Programs() []doctor.Program {
	return []doctor.Program{{Name: "ceph-osd"}}
}
