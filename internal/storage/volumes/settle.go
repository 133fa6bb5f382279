package volumes

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Settle writes the file system back and, if asked, drops the files of all volumes from the
// page cache, so that trials start alike. It reports its actions.
func (s *Set) Settle(ctx context.Context, dropCaches bool) (string, error) {
	began := time.Now()
	if err := syncFileSystem(s.home); err != nil {
		return "", err
	}
	synced := time.Since(began).Round(time.Millisecond)
	if !dropCaches {
		return fmt.Sprintf("wrote back dirty pages (%s); the page cache is the medium and was kept", synced), nil
	}
	files, err := advise(ctx, s.home)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote back dirty pages (%s) and dropped %d files from the page cache", synced, files), nil
}

func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("write back: %w", err)
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("write back the file system of %s: %w", dir, err)
	}
	return nil
}

// gone ignores files that a running server removed meanwhile, and files of another user.
func gone(err error) error {
	if os.IsNotExist(err) || os.IsPermission(err) {
		return nil
	}
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
