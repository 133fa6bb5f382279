package local

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"golang.org/x/sys/unix"

	"plimsoll/internal/journal"
	"plimsoll/internal/machine"
	"plimsoll/internal/platform"
)

// Kind makes local platforms.
type Kind struct{}

var _ platform.Kind = Kind{}

// Name is the registry key.
func (Kind) Name() string { return "local" }

// Capacity is this machine's.
func (Kind) Capacity(context.Context) (platform.Capacity, error) {
	return platform.Capacity{MemoryBytes: machine.AvailableMemory(), Cores: machine.Cores()}, nil
}

// Free is what an unprivileged writer may still fill of the file system that a
// directory lies on.
func (Kind) Free(_ context.Context, place string) (int64, error) {
	var st unix.Statfs_t
	err := unix.Statfs(place, &st)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return -1, &fs.PathError{Op: "look for free space in", Path: place, Err: err}
	}
	free := float64(st.Bavail) * float64(st.Bsize)
	return int64(math.Min(free, math.MaxInt64)), nil
}

// Kept is a directory of golden volumes.
func (Kind) Kept(cache string) platform.Kept { return store(cache) }

// Sweep removes objects of this machine.
func (Kind) Sweep(ctx context.Context, s journal.State) []journal.Removal {
	return journal.Sweep(ctx, s)
}

// New makes the platform of a run.
func (Kind) New(env platform.Env) (platform.Platform, error) {
	l, err := New(env)
	if err != nil {
		return nil, err // and not a platform that is nil
	}
	return l, nil
}
