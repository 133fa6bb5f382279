// Package fetch gets engines that are not installed on this machine and keeps
// them in a cache: what several processes want at once is fetched once, and a
// directory in the cache is whole or not there.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/safefile"
)

// CacheVariable names the environment variable that moves the cache.
const CacheVariable = "PLIMSOLL_ENGINES"

// CacheDir is where engines are kept: below the user's cache directory, or
// below /var/cache for root, whose home no other user can read while servers
// run as another user.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	if os.Geteuid() == 0 {
		return "/var/cache/plimsoll/engines", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a directory for engines: %w; set %s to a directory", err, CacheVariable)
	}
	return filepath.Join(dir, "plimsoll", "engines"), nil
}

// Has reports whether the cache has what Once keeps there under a name.
func Has(cache, name string) bool { return isDirectory(filepath.Join(cache, name)) }

// Once returns the directory name below the cache, which get fills if it is not
// there yet. get is handed a fresh directory that takes its place when get
// succeeds and is removed when it fails. Once also waits for another process
// that is getting the same.
func Once(ctx context.Context, cache, name string, get func(ctx context.Context, into string) error) (string, error) {
	target := filepath.Join(cache, name)
	if isDirectory(target) {
		return target, mine(target)
	}
	if err := safefile.Ensure(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache for engines: %w; set %s to a writable directory", err, CacheVariable)
	}
	unlock, err := lock(ctx, target+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if isDirectory(target) { // another process was faster
		return target, nil
	}
	return target, fill(ctx, target, get)
}

func fill(ctx context.Context, target string, get func(ctx context.Context, into string) error) (err error) {
	fresh := target + ".part"
	if err := os.RemoveAll(fresh); err != nil { // of a process that was ended
		return fmt.Errorf("clear the cache: %w", err)
	}
	if err := safefile.Make(fresh, 0o755); err != nil {
		return fmt.Errorf("make room in the cache: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(fresh))
		}
	}()
	if err := get(ctx, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, target); err != nil {
		return fmt.Errorf("keep in the cache: %w", err)
	}
	return nil
}

// mine refuses programs that another user could have put there.
func mine(target string) error {
	if err := safefile.Prove(target); err != nil {
		return fmt.Errorf("use the engine in %s: %w; or set %s to another directory", target, err, CacheVariable)
	}
	return nil
}

// lock takes a file lock, which the kernel gives back when its holder ends.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := safefile.Append(path, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("wait for another process that holds %s: %w", path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
