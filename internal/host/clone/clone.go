// Package clone copies a directory tree: by sharing blocks where the file
// system can (FICLONE, ioctl_ficlonerange(2)), else by copying only the parts
// of each file that hold data, several files at once. It takes a golden volume
// and gives an instance its own.
package clone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/text/unit"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// Keep leaves the owner of the copies as the file system sets it.
const Keep = -1

// Options say whose the copy is and how it is made.
type Options struct {
	// UID and GID own everything in the copy; Keep leaves them.
	UID, GID int
	// Unshared are patterns of files (path.Match, from the root) that are copied where others
	// share their blocks.
	Unshared []string
	// Workers is how many files are copied at once; 0 is one per processor.
	Workers int
	// Progress is called now and then, from several goroutines, with the share
	// of the bytes that is done. It may be nil.
	Progress func(share float64)
}

// Stats count the work of a clone.
type Stats struct {
	Files       int   `json:"files"`
	Directories int   `json:"directories"`
	Links       int   `json:"links"`
	Skipped     int   `json:"skipped"` // sockets and pipes, which hold no data
	Bytes       int64 `json:"bytes"`   // length of all files
	// Copied is how many bytes were really written; shared blocks and holes
	// are not.
	Copied int64 `json:"copied"`
	// Reflinked is how many files share their blocks with the source.
	Reflinked int           `json:"reflinked"`
	Took      time.Duration `json:"took"`
}

// NoSpaceError reports that a copy cannot fit.
type NoSpaceError struct {
	Path         string
	Needed, Free int64 // bytes
}

func (e *NoSpaceError) Error() string {
	return fmt.Sprintf("not enough space for the copy in %s: it needs %s, %s is free; free some space or choose another place",
		e.Path, unit.Bytes(e.Needed), unit.Bytes(e.Free))
}

// Unwrap lets errors.Is find ENOSPC.
func (e *NoSpaceError) Unwrap() error { return unix.ENOSPC }

// Tree copies the directory src to dst, which must not exist or be an empty directory. It
// preserves modes, users' extended attributes, and symbolic links that stay in the tree (an
// absolute one into src leads into dst afterwards). When it fails, the caller has to remove
// the incomplete copy.
func Tree(ctx context.Context, src, dst string, o Options) (Stats, error) {
	began := time.Now()
	t := &tree{src: filepath.Clean(src), dst: filepath.Clean(dst), o: o}
	if err := t.scan(); err != nil {
		return Stats{}, fmt.Errorf("clone %s: %w", src, err)
	}
	var err error
	if t.root, err = open(t.src, unix.O_PATH|unix.O_DIRECTORY, 0); err != nil {
		return Stats{}, fmt.Errorf("clone %s: %w", src, err)
	}
	defer t.root.close()
	err = t.copy(ctx)
	stats := t.stats()
	stats.Took = time.Since(began)
	if err != nil {
		return stats, fmt.Errorf("clone %s to %s: %w", src, dst, t.explain(err))
	}
	return stats, nil
}

// Remove deletes a tree. A tree that is not there is as good as removed.
func Remove(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("remove the volume: %w", err)
	}
	return nil
}

// entry is one thing of the tree; path is relative to its root.
type entry struct {
	path  string
	mode  fs.FileMode
	size  int64
	bytes int64 // allocated
}

type tree struct {
	src, dst string
	root     descriptor // of src
	o        Options

	directories, files, links []entry
	skipped                   int
	size, allocated           int64

	done, copied, reflinked atomic.Int64
	noReflinks              atomic.Bool // the file system refused one
}

// scan lists the source.
func (t *tree) scan() error {
	return filepath.WalkDir(t.src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(t.src, path)
		if err != nil {
			return err
		}
		t.add(entry{path: relative, mode: info.Mode(), size: info.Size(), bytes: allocated(info)})
		return nil
	})
}

func (t *tree) add(e entry) {
	switch {
	case e.mode.IsDir():
		t.directories = append(t.directories, e)
	case e.mode.IsRegular():
		t.files = append(t.files, e)
		t.size += e.size
		t.allocated += e.bytes
	case e.mode&fs.ModeSymlink != 0:
		t.links = append(t.links, e)
	default:
		t.skipped++
	}
}

func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512 // stat(2) counts in units of 512 bytes
	}
	return info.Size()
}

// copy makes directories writable first, then files and links, and gives the
// directories their modes at the end, deepest first, since a read-only one
// could not be filled.
func (t *tree) copy(ctx context.Context) error {
	for _, d := range t.directories {
		if err := safefile.Make(t.target(d), 0o700); err != nil && !t.emptyRoot(d, err) {
			return err
		}
	}
	if err := t.enoughSpace(); err != nil {
		return err
	}
	if err := t.copyFiles(ctx); err != nil {
		return err
	}
	for _, l := range t.links {
		if err := t.copyLink(l); err != nil {
			return err
		}
	}
	for i := len(t.directories) - 1; i >= 0; i-- {
		if err := t.finishDirectory(t.directories[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) emptyRoot(d entry, err error) bool {
	if d.path != "." || !errors.Is(err, fs.ErrExist) {
		return false
	}
	inside, err := os.ReadDir(t.dst)
	return err == nil && len(inside) == 0
}

func (t *tree) finishDirectory(d entry) error {
	path := t.target(d)
	if err := copyAttributes(filepath.Join(t.src, d.path), path); err != nil {
		return err
	}
	made, err := open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	return errors.Join(t.finish(made, d.mode), made.close())
}

// enoughSpace refuses before the disk is full, when blocks cannot be shared.
func (t *tree) enoughSpace() error {
	if ok, err := Reflinks(t.dst); err == nil && ok && sameFileSystem(t.src, t.dst) {
		return nil
	}
	free, err := freeBytes(t.dst)
	if err != nil {
		return err
	}
	if t.allocated > free {
		return &NoSpaceError{Path: t.dst, Needed: t.allocated, Free: free}
	}
	return nil
}

// explain turns a full disk that was met on the way into a NoSpaceError.
func (t *tree) explain(err error) error {
	var known *NoSpaceError
	if !errors.Is(err, unix.ENOSPC) || errors.As(err, &known) {
		return err
	}
	free, _ := freeBytes(t.dst)
	return &NoSpaceError{Path: t.dst, Needed: t.allocated, Free: free}
}

func (t *tree) copyFiles(ctx context.Context) error {
	workers := t.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g, working := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for _, f := range t.files {
		if working.Err() != nil {
			break
		}
		g.Go(func() error { return t.copyOne(working, f) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

func (t *tree) copyOne(ctx context.Context, f entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done, err := t.copyFile(ctx, filepath.Join(t.src, f.path), t.target(f), f)
	if err != nil {
		return err
	}
	if done.reflinked {
		t.reflinked.Add(1)
	}
	t.copied.Add(done.copied)
	t.progress(f)
	return nil
}

func (t *tree) progress(f entry) {
	done := t.done.Add(f.size)
	if t.o.Progress != nil && t.size > 0 {
		t.o.Progress(float64(done) / float64(t.size))
	}
}

func (t *tree) own(path string) error {
	if t.o.UID == Keep && t.o.GID == Keep {
		return nil
	}
	return os.Lchown(path, t.o.UID, t.o.GID)
}

func (t *tree) target(e entry) string { return filepath.Join(t.dst, e.path) }

func (t *tree) stats() Stats {
	return Stats{
		Files: len(t.files), Directories: len(t.directories), Links: len(t.links), Skipped: t.skipped,
		Bytes: t.size, Copied: t.copied.Load(), Reflinked: int(t.reflinked.Load()),
	}
}
