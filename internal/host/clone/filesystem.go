package clone

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Reflinks tries whether the file system of a directory can share blocks
// between files. It leaves nothing behind.
func Reflinks(dir string) (bool, error) {
	from, err := scratchFile(dir)
	if err != nil {
		return false, err
	}
	defer from.Close()
	if _, err := from.Write(make([]byte, 4096)); err != nil {
		return false, fmt.Errorf("try reflinks in %s: %w", dir, err)
	}
	to, err := scratchFile(dir)
	if err != nil {
		return false, err
	}
	defer to.Close()
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil, nil
}

// scratchFile makes a file that vanishes when it is closed.
func scratchFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".plimsoll-*")
	if err != nil {
		return nil, fmt.Errorf("try reflinks in %s: %w", dir, err)
	}
	return f, os.Remove(f.Name())
}

func sameFileSystem(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev
}

func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("ask for the free space of %s: %w", dir, err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}
