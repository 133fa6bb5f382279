package disk

import (
	"context"

	"plimsoll/internal/describe/doctor"
)

// Checks looks at what simulated media need.
func (Kind) Checks(context.Context) []doctor.Check {
	const none = "no simulated media"
	return []doctor.Check{
		doctor.Root(none), doctor.FUSE(none), doctor.LoopDevices(none),
		doctor.Installed("file system tools", "mkfs.xfs and mkfs.ext4 are installed",
			"simulated media use another file system; studies that require a missing one cannot run",
			map[string]string{"mkfs.xfs": "xfsprogs", "mkfs.ext4": "e2fsprogs"}),
	}
}

// Programs are those that make file systems and attach them.
func (Kind) Programs() []doctor.Program {
	return []doctor.Program{
		{Name: "mkfs.xfs", Version: "-V"}, {Name: "mkfs.ext4", Version: "-V"},
		{Name: "losetup"}, {Name: "fusermount3"},
	}
}
