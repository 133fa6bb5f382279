package directory

import (
	"context"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/storage"
	"plimsoll/internal/text/words"
)

// memoryGood is room for a handful of small volumes.
const memoryGood = 1 << 30

// Checks looks at memory that can be used as a directory.
func (Kind) Checks(context.Context) []doctor.Check {
	var s unix.Statfs_t
	free := int64(0)
	if unix.Statfs(storage.MemoryPath, &s) == nil {
		free = int64(s.Bavail) * s.Bsize //nolint:gosec // far below the limit
	}
	return []doctor.Check{{
		Name: "tmpfs", Status: doctor.Wanted(free >= memoryGood, doctor.Warn),
		Found: words.Binary(free) + " free in /dev/shm",
		Means: "volumes in memory, which the quickstart uses when it does not run as root, may not fit",
		Fix:   "mount -o remount,size=4G /dev/shm   (in a container: --shm-size=4g)",
	}}
}

// Programs are none.
func (Kind) Programs() []doctor.Program { return nil }
