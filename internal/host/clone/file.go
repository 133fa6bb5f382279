package clone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// copiedFile is what copying one file took.
type copiedFile struct {
	reflinked bool
	copied    int64
}

// descriptor is an open file without the runtime's poller, which would cost
// more system calls than the copy of a small file.
type descriptor int

func open(path string, flags int, mode fs.FileMode) (descriptor, error) {
	for {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, uint32(mode.Perm()))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
		return descriptor(fd), nil
	}
}

// source opens a file of the tree that is copied. Whoever the tree belongs to cannot have
// another file copied by laying a link there.
func (t *tree) source(name string) (descriptor, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(int(t.root), name, &how)
		if err == unix.EINTR || err == unix.EAGAIN { // something was renamed meanwhile
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: path.Join(t.src, name), Err: err}
		}
		return descriptor(fd), nil
	}
}

func (d descriptor) close() error { return unix.Close(int(d)) }

// copyFile makes dst a copy of the file e at src with the same length, holes,
// mode and the tree's owner.
func (t *tree) copyFile(ctx context.Context, src, dst string, e entry) (done copiedFile, err error) {
	in, err := t.source(e.path)
	if err != nil {
		return done, err
	}
	defer in.close()
	out, err := open(dst, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, e.mode)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	if done, err = t.fill(ctx, out, in, e); err != nil {
		return done, fmt.Errorf("copy %s: %w", src, err)
	}
	if err := copyAttributes(src, dst); err != nil {
		return done, err
	}
	return done, t.finish(out, e.mode)
}

// fill shares the blocks, as long as the file system does not refuse it, or
// copies them.
func (t *tree) fill(ctx context.Context, out, in descriptor, e entry) (done copiedFile, err error) {
	if !t.noReflinks.Load() && !t.unshared(e.path) {
		if unix.IoctlFileClone(int(out), int(in)) == nil {
			return copiedFile{reflinked: true}, nil
		}
		t.noReflinks.Store(true)
	}
	if e.bytes >= e.size {
		done.copied, err = copyRange(ctx, out, in, 0, e.size)
		return done, err
	}
	done.copied, err = copyExtents(ctx, out, in, e.size)
	return done, err
}

// Contents makes an empty open file a copy of another: by sharing its blocks where the file
// system can, else by copying what holds data, in the kernel where it can.
func Contents(ctx context.Context, out, in *os.File) (shared bool, err error) {
	info, err := in.Stat()
	if err != nil {
		return false, err
	}
	to, from := descriptor(out.Fd()), descriptor(in.Fd())
	if unix.IoctlFileClone(int(to), int(from)) == nil {
		return true, nil
	}
	_, err = copyExtents(ctx, to, from, info.Size())
	return false, err
}

// unshared reports whether a file is to have blocks of its own.
func (t *tree) unshared(name string) bool {
	return slices.ContainsFunc(t.o.Unshared, func(pattern string) bool {
		matches, err := path.Match(pattern, name)
		return err == nil && matches
	})
}

// finish gives the copy its owner and mode. The process's mask may have
// taken bits away from others when the file was made; a change of owner takes
// special bits away, so the mode comes last.
func (t *tree) finish(out descriptor, mode fs.FileMode) error {
	if t.o.UID != Keep || t.o.GID != Keep {
		if err := unix.Fchown(int(out), t.o.UID, t.o.GID); err != nil {
			return fmt.Errorf("change the owner of the copy to user %d: %w", t.o.UID, err)
		}
	}
	const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if mode&special == 0 && mode.Perm()&0o077 == 0 {
		return nil
	}
	return unix.Fchmod(int(out), unixMode(mode))
}

func unixMode(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: unix.S_ISUID, fs.ModeSetgid: unix.S_ISGID, fs.ModeSticky: unix.S_ISVTX} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return bits
}

// copyExtents copies the extents that hold data and leaves the rest as holes.
func copyExtents(ctx context.Context, out, in descriptor, size int64) (int64, error) {
	if err := unix.Ftruncate(int(out), size); err != nil {
		return 0, err
	}
	copied := int64(0)
	for at := int64(0); at < size; {
		from, to := nextData(in, at, size)
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
func nextData(in descriptor, at, size int64) (from, to int64) {
	from, err := unix.Seek(int(in), at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return size, size // only a hole is left
	}
	if err != nil {
		return at, size
	}
	to, err = unix.Seek(int(in), from, unix.SEEK_HOLE)
	if err != nil {
		return from, size
	}
	return from, min(to, size)
}

// copyRange lets the kernel copy; where it cannot, between some file systems,
// bytes go through a buffer.
func copyRange(ctx context.Context, out, in descriptor, from, to int64) (int64, error) {
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
			return at - from, fmt.Errorf("%w at %d: the file shrank during the copy", io.ErrUnexpectedEOF, at)
		}
		at += int64(n)
	}
	return at - from, nil
}

func copyInKernel(out, in descriptor, at int64, n int) (int, error) {
	readAt, writeAt := at, at
	return unix.CopyFileRange(int(in), &readAt, int(out), &writeAt, n, 0)
}

func copyByHand(out, in descriptor, at, length int64) (int, error) {
	buffer := make([]byte, min(length, 1<<20))
	n, err := unix.Pread(int(in), buffer, at)
	if err != nil || n == 0 {
		return 0, err
	}
	return unix.Pwrite(int(out), buffer[:n], at)
}
