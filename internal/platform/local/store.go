package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/platform"
)

// store is a directory of golden volumes.
type store string

// cacheLock is the file in the cache that every run holds a shared lock on.
// The kernel drops it when the process ends, however it ends.
const cacheLock = "lock"

// use keeps golden volumes from being removed until it is closed. Who removes some now, as a
// run that ends does, is waited for.
func (s store) use(ctx context.Context) (io.Closer, error) {
	if err := safefile.Ensure(string(s), 0o711); err != nil {
		return nil, fmt.Errorf("create the cache of golden volumes: %w; choose another place with --cache", err)
	}
	for {
		held, err := s.lock(unix.LOCK_SH)
		if !errors.Is(err, platform.ErrGoldenBusy) {
			return held, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until nobody removes golden volumes from %s: %w", s, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s store) lock(how int) (io.Closer, error) {
	f, err := safefile.Append(filepath.Join(string(s), cacheLock), 0o600) // whoever opens it can hold it
	if err != nil {
		return nil, fmt.Errorf("lock the cache of golden volumes: %w; choose another place with --cache", err)
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", s, platform.ErrGoldenBusy)
	}
	return nil, fmt.Errorf("lock the cache of golden volumes %s: %w", s, err)
}

// cached is one golden volume in a cache.
type cached struct {
	dir   string
	used  time.Time
	bytes int64 // that it takes on disk
}

// list gives the golden volumes of a store, the least recently used first.
func (s store) list() ([]cached, error) {
	entries, err := os.ReadDir(string(s))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the golden volumes: %w", err)
	}
	var all []cached
	for _, e := range entries {
		dir := filepath.Join(string(s), e.Name())
		info, err := os.Stat(filepath.Join(dir, goldenFile))
		if err != nil {
			continue // no golden volume, or another run has just removed it
		}
		all = append(all, cached{dir, info.ModTime(), onDisk(dir)})
	}
	slices.SortFunc(all, func(a, b cached) int { return a.used.Compare(b.used) })
	return all, nil
}

// onDisk adds up the blocks of all files below a directory.
func onDisk(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error { // what vanishes meanwhile is not there
		if err != nil {
			return nil
		}
		var st unix.Stat_t
		if e.Type().IsRegular() && unix.Lstat(path, &st) == nil {
			bytes += st.Blocks * 512 // st_blocks counts 512 bytes whatever the file system's block is
		}
		return nil
	})
	return bytes
}

// Size counts the golden volumes and their bytes on disk.
func (s store) Size(context.Context) (count int, bytes int64, err error) {
	all, err := s.list()
	for _, c := range all {
		bytes += c.bytes
	}
	return len(all), bytes, err
}

// trim removes the golden volumes that were not used for longest, until
// the rest takes no more than limit bytes. The newest stays whatever it takes;
// nothing is removed while a run uses the cache. 0 is no limit.
func (s store) trim(limit int64) error {
	if limit <= 0 {
		return nil
	}
	lock, err := s.lock(unix.LOCK_EX)
	if errors.Is(err, platform.ErrGoldenBusy) {
		return nil // the run that uses it will trim it
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	all, err := s.list()
	if err != nil {
		return err
	}
	var total int64
	for _, c := range all {
		total += c.bytes
	}
	for i := 0; i < len(all)-1 && total > limit; i++ {
		if err := os.RemoveAll(all[i].dir); err != nil {
			return fmt.Errorf("trim the cache of golden volumes: %w", err)
		}
		total -= all[i].bytes
	}
	return nil
}

// Remove empties the store.
func (s store) Remove(context.Context) (int, error) {
	entries, err := os.ReadDir(string(s))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("remove the golden volumes: %w", err)
	}
	lock, err := s.lock(unix.LOCK_EX)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	removed := 0
	for _, e := range entries {
		if e.Name() == cacheLock {
			continue
		}
		if err := os.RemoveAll(filepath.Join(string(s), e.Name())); err != nil {
			return removed, fmt.Errorf("remove the golden volumes: %w", err)
		}
		removed++
	}
	return removed, nil
}
