package fileio

import (
	"fmt"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/thread"
	"plimsoll/internal/text/unit"
)

// File is an open file of a volume. Its calls block the thread; none goes
// through Go's poller.
type File struct {
	fd        int
	dir, name string // within the volume; joined for messages alone
}

// Path is where the file is within the volume.
func (f *File) Path() string { return f.dir + "/" + f.name }

// Descriptor is for package aio.
func (f *File) Descriptor() int { return f.fd }

// Read fills the buffer from an offset. An end of the file before is a
// ShortError.
func (f *File) Read(buffer []byte, offset int64) error {
	return f.all(true, buffer, offset, thread.Pread)
}

// Write writes all of the buffer at an offset.
func (f *File) Write(buffer []byte, offset int64) error {
	return f.all(false, buffer, offset, thread.Pwrite)
}

// all repeats a call until everything was moved: what moved a part only says
// with the next call why.
func (f *File) all(read bool, buffer []byte, offset int64, call func(int, []byte, int64) (int, error)) error {
	for done := 0; done < len(buffer); {
		n, err := call(f.fd, buffer[done:], offset+int64(done))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("%s: %w", f.Path(), IOError(read, offset, int64(len(buffer)), err))
		case n == 0:
			return fmt.Errorf("%s: %w", f.Path(), &ShortError{offset, int64(done), int64(len(buffer))})
		}
		done += max(0, n)
	}
	return nil
}

// failed says what was being done when there is an error.
func (f *File) failed(verb string, err error) error {
	if err == nil {
		return nil
	}
	return Classify(fmt.Errorf("%s %s: %w", verb, f.Path(), err))
}

// Flush has everything of the file on the medium (fsync).
func (f *File) Flush() error {
	_, err := again(func() (int, error) { return 0, unix.Fsync(f.fd) })
	return f.failed("flush", err)
}

// Truncate cuts the file off at a size.
func (f *File) Truncate(size int64) error {
	_, err := again(func() (int, error) { return 0, unix.Ftruncate(f.fd, size) })
	return f.failed("truncate", err)
}

// Size returns the file's size in bytes.
func (f *File) Size() (int64, error) {
	var s unix.Stat_t
	err := unix.Fstat(f.fd, &s)
	return s.Size, f.failed("stat", err)
}

// CheckDirect refuses a size of I/Os that direct I/O on this file does not take.
func (f *File) CheckDirect(bytes int64) error {
	if align := Alignment(f.fd); bytes%align != 0 {
		return fmt.Errorf("%s takes direct I/O in multiples of %d bytes only, not %s: change block_size and file_size, or set workload.parameters.io to buffered",
			f.Path(), align, unit.Bytes(bytes))
	}
	return nil
}

// Close closes the file; some file systems say only now that a write failed.
func (f *File) Close() error { return f.failed("close", unix.Close(f.fd)) }

// Alignment returns the number of bytes to which direct I/O on an open file must be
// aligned; 1 if the kernel (before 6.1) does not tell.
func Alignment(fd int) int64 {
	var s unix.Statx_t
	if unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &s) != nil || s.Dio_offset_align == 0 {
		return 1
	}
	return int64(s.Dio_offset_align)
}

// Forget drops what of the file is in this machine's page cache and already on
// the medium (posix_fadvise(2), DONTNEED).
func (f *File) Forget() error {
	return f.failed("drop the cache of", unix.Fadvise(f.fd, 0, 0, unix.FADV_DONTNEED))
}
