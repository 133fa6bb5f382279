package clone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// copiedFile is what copying one file took.
type copiedFile struct {
	reflinked bool
	copied    int64
}

// copyFile makes dst a copy of src with the same length, holes and mode.
func copyFile(ctx context.Context, src, dst string, mode fs.FileMode) (done copiedFile, err error) {
	in, err := os.Open(src)
	if err != nil {
		return done, err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if reflink(out, in) == nil {
		done.reflinked = true
	} else if done.copied, err = copyData(ctx, out, in); err != nil {
		return done, fmt.Errorf("copy %s: %w", src, err)
	}
	// The mode last and by descriptor: not subject to the process's mask.
	return done, out.Chmod(mode.Perm() | mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
}

func reflink(out, in *os.File) error {
	return unix.IoctlFileClone(int(out.Fd()), int(in.Fd()))
}

// copyData copies the extents that hold data and leaves the rest as holes.
func copyData(ctx context.Context, out, in *os.File) (int64, error) {
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	if err := out.Truncate(info.Size()); err != nil {
		return 0, err
	}
	copied := int64(0)
	for at := int64(0); at < info.Size(); {
		from, to, err := nextData(in, at, info.Size())
		if err != nil {
			return copied, err
		}
		n, err := copyRange(ctx, out, in, from, to)
		copied += n
		if err != nil {
			return copied, err
		}
		at = to
	}
	return copied, nil
}

// nextData finds the next extent that holds data (lseek(2), SEEK_DATA). A
// file system that does not know its holes has one extent.
func nextData(f *os.File, at, size int64) (from, to int64, err error) {
	from, err = unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return size, size, nil // only a hole is left
	}
	if err != nil {
		return at, size, nil
	}
	to, err = unix.Seek(int(f.Fd()), from, unix.SEEK_HOLE)
	if err != nil {
		return from, size, nil
	}
	return from, min(to, size), nil
}

// copyRange lets the kernel copy; where it cannot, between some file systems,
// bytes go through a buffer.
func copyRange(ctx context.Context, out, in *os.File, from, to int64) (int64, error) {
	const step = 8 << 20 // how long a cancellation may take
	at := from
	for at < to {
		if err := ctx.Err(); err != nil {
			return at - from, err
		}
		n, err := copyInKernel(out, in, at, int(min(step, to-at)))
		if err != nil {
			n, err = copyByHand(out, in, at, min(step, to-at))
		}
		if err != nil {
			return at - from, err
		}
		if n == 0 {
			return at - from, fmt.Errorf("%w at %d: the file shrank while it was copied", io.ErrUnexpectedEOF, at)
		}
		at += int64(n)
	}
	return at - from, nil
}

func copyInKernel(out, in *os.File, at int64, n int) (int, error) {
	readAt, writeAt := at, at
	return unix.CopyFileRange(int(in.Fd()), &readAt, int(out.Fd()), &writeAt, n, 0)
}

func copyByHand(out, in *os.File, at, n int64) (int, error) {
	copied, err := io.Copy(io.NewOffsetWriter(out, at), io.NewSectionReader(in, at, n))
	return int(copied), err
}
