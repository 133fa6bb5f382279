package volumes

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// DropResult is the outcome of dropping files from the page cache.
type DropResult struct {
	Files int
	Kept  int64 // bytes that stayed nevertheless
}

// String is the sentence for results.
func (d DropResult) String() string {
	return fmt.Sprintf("dropped %d files from the page cache", d.Files)
}

// Left describes what stayed, if anything did.
func (d DropResult) Left() []string {
	if d.Kept == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d bytes of files that the kernel did not drop from the page cache", d.Kept)}
}

// Plus adds what became of other files.
func (d DropResult) Plus(o DropResult) DropResult {
	return DropResult{d.Files + o.Files, d.Kept + o.Kept}
}

// dropCaches takes the number of the cache to drop (proc_sys_vm(5)); 2 is names and
// attributes alone.
const dropCaches = "/proc/sys/vm/drop_caches"

// DropNames has the kernel forget the names and attributes of unused files (dentries and
// inodes). This affects the whole machine, since the kernel cannot do it for one file
// system. The error names what stayed, and why.
func DropNames() error {
	if err := os.WriteFile(dropCaches, []byte("2"), 0); err != nil {
		return fmt.Errorf("names and attributes of files, which only root may drop: %w", err)
	}
	return nil
}

// Drop writes the file system of a directory back, drops the files below it
// from the page cache and looks whether they are gone.
func Drop(ctx context.Context, dir string) (d DropResult, err error) {
	for range dropAttempts {
		if err := syncFileSystem(dir); err != nil {
			return d, err
		}
		if d.Files, err = advise(ctx, dir); err != nil {
			return d, err
		}
		if d.Kept, err = Cached(ctx, dir); d.Kept == 0 || err != nil {
			return d, err
		}
	}
	return d, nil
}

// dropAttempts is how often files are dropped: the kernel keeps pages that
// another process looks at in that moment.
const dropAttempts = 3

// advise informs the kernel for each file that it will not be needed
// (posix_fadvise(2), DONTNEED): unlike /proc/sys/vm/drop_caches this needs no
// root and spares other processes.
func advise(ctx context.Context, dir string) (files int, err error) {
	err = EachFile(ctx, dir, func(f *os.File) error {
		files++
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
	if err != nil {
		return files, fmt.Errorf("drop the page cache of %s: %w", dir, err)
	}
	return files, nil
}

// Cached is how many bytes of the files below a directory are in the page
// cache.
func Cached(ctx context.Context, dir string) (sum int64, err error) {
	err = EachFile(ctx, dir, func(f *os.File) error {
		n, err := cachedOf(f)
		sum += n
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("look into the page cache of %s: %w", dir, err)
	}
	return sum, nil
}

// cachedOf asks for the pages of one file that are in memory (mincore(2)).
func cachedOf(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	file, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, err
	}
	page := int64(os.Getpagesize())
	in := make([]byte, (info.Size()+page-1)/page)
	_, _, number := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&file[0])), uintptr(len(file)), uintptr(unsafe.Pointer(&in[0])))
	if err := unix.Munmap(file); err != nil {
		return 0, err
	}
	if number != 0 {
		return 0, number
	}
	var pages int64
	for _, p := range in {
		pages += int64(p & 1)
	}
	return pages * page, nil
}

// EachFile does something with each regular file below a directory, except those that go away
// meanwhile.
func EachFile(ctx context.Context, dir string, do func(*os.File) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || !d.Type().IsRegular() {
			return firstError(ctx.Err(), gone(err))
		}
		f, err := os.Open(path)
		if err != nil {
			return gone(err)
		}
		defer f.Close()
		return do(f)
	})
}
