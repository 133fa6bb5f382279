package campaign

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrGoldenBusy says that a run is using the golden volumes.
var ErrGoldenBusy = errors.New("the golden volumes are in use by a run")

// cacheLock is the file in the cache that every run holds a shared lock on.
// The kernel drops it when the process ends, however it ends.
const cacheLock = "lock"

// useGolden keeps the golden volumes of a cache from being removed until it is
// closed.
func useGolden(cache string) (io.Closer, error) {
	if err := os.MkdirAll(cache, 0o711); err != nil {
		return nil, fmt.Errorf("make the cache of golden volumes: %w; choose another place with --cache", err)
	}
	return lockCache(cache, unix.LOCK_SH)
}

func lockCache(cache string, how int) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(cache, cacheLock), os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the cache of golden volumes: %w; choose another place with --cache", err)
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", cache, ErrGoldenBusy)
	}
	return nil, fmt.Errorf("lock the cache of golden volumes %s: %w", cache, err)
}

// RemoveGolden empties a cache of golden volumes and says how many there were.
// It gives ErrGoldenBusy when a run is using them.
func RemoveGolden(cache string) (int, error) {
	entries, err := os.ReadDir(cache)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("remove the golden volumes: %w", err)
	}
	lock, err := lockCache(cache, unix.LOCK_EX)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	removed := 0
	for _, e := range entries {
		if e.Name() == cacheLock {
			continue
		}
		if err := os.RemoveAll(filepath.Join(cache, e.Name())); err != nil {
			return removed, fmt.Errorf("remove the golden volumes: %w", err)
		}
		removed++
	}
	return removed, nil
}
