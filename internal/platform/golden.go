package platform

import (
	"context"
	"errors"

	"plimsoll/internal/storage"
)

// GoldenStore keeps prepared data sets between runs. While a platform is open,
// nobody removes anything from its store.
type GoldenStore interface {
	// Golden finds a data set and marks it as used now.
	Golden(ctx context.Context, key string) (g Golden, ok bool, err error)
	// MakeGolden has fill prepare empty directories, which belong to who servers run as,
	// by the names of their claims, and keeps them when fill gives no error. When another run
	// has kept some under the key meanwhile, those are given.
	MakeGolden(ctx context.Context, key string, claims []storage.Claim, fill func(volumes map[string]storage.Volume) (note []byte, err error)) (Golden, error)
}

// Golden is a data set that was prepared.
type Golden struct {
	Key string
	// Note is what its maker noted. It may hold secrets, and is kept where only
	// this user can read it.
	Note []byte
	// Sources are for storage.Class.Import, by name; they stay until the platform
	// is closed.
	Sources map[string]string
}

// Kept is a golden store between runs.
type Kept interface {
	// Size returns the number of data sets and their total size in bytes.
	Size(ctx context.Context) (count int, bytes int64, err error)
	// Remove empties the store and says how many there were. It gives
	// ErrGoldenBusy when a run is using them.
	Remove(ctx context.Context) (int, error)
}

// ErrGoldenBusy reports that a run is using the golden volumes.
var ErrGoldenBusy = errors.New("the golden volumes are in use by a run")
