package transfer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"plimsoll/internal/app/builtin/transfer/content"
	"plimsoll/internal/host/clone"
)

// Store is a directory of items, each a file.
type Store struct{ root *os.Root }

// OpenStore opens a directory, and removes what transfers that were broken off with their
// process have left there.
func OpenStore(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root}
	all, err := s.all()
	for _, name := range all {
		if strings.HasPrefix(name, unfinished) {
			err = errors.Join(err, root.Remove(name))
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// Close lets go of the directory.
func (s *Store) Close() error { return s.root.Close() }

// unfinished is how the names of items begin that are not whole yet.
const unfinished = ".part-"

// names matches the names of items: no path leads out of the store.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,99}$`)

func (s *Store) all() (all []string, err error) {
	d, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// List returns the names of everything in the store, incomplete items included.
func (s *Store) List() ([]string, error) { return s.all() }

// Remove removes an item.
func (s *Store) Remove(name string) error {
	if !names.MatchString(name) {
		return badName(name)
	}
	return s.root.Remove(name)
}

func badName(name string) error { return fmt.Errorf("%q is no name of an item", name) }

// open opens an item, a regular file.
func (s *Store) open(name string) (*os.File, fs.FileInfo, error) {
	if !names.MatchString(name) {
		return nil, nil, badName(name)
	}
	f, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// Names of the stages of files and of the stages in between.
const (
	Read       = "read"
	Decompress = "decompress"
	Compress   = "compress"
	Checksum   = "checksum"
	Write      = "write"
	Flush      = "flush"
	Copy       = "copy"
)

// ErrChanged is an item that was written to while it was read.
var ErrChanged = errors.New("the item has changed while it was read")

// Reading returns an item from the store: its data, or what reads as zeros as well where
// holes are not kept.
func (s *Store) Reading(name, format string, holes bool) Stage {
	if format != Raw {
		return s.File(name)
	}
	return s.reading(name, func(f *os.File, info fs.FileInfo, out *Output) error { return listed(f, info.Size(), holes, out) })
}

// File returns an item in its stored form, whatever its format.
func (s *Store) File(name string) Stage {
	return s.reading(name, func(f *os.File, _ fs.FileInfo, out *Output) error {
		_, err := io.Copy(out, f)
		return err
	})
}

func (s *Store) reading(name string, all func(f *os.File, info fs.FileInfo, out *Output) error) Stage {
	return Stage{Read, func(_ *Input, out *Output) error {
		f, info, err := s.open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := all(f, info, out); err != nil {
			return err
		}
		return unchanged(f, info)
	}}
}

// unchanged makes sure that a file is as it was.
func unchanged(f *os.File, before fs.FileInfo) error {
	after, err := f.Stat()
	if err != nil {
		return err
	}
	if a, b := statusChange(before), statusChange(after); before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) || a != b {
		return fmt.Errorf("%s: %w", before.Name(), ErrChanged)
	}
	return nil
}

func statusChange(info fs.FileInfo) syscall.Timespec {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim
	}
	return syscall.Timespec{}
}

// Converting are the stages that make one format of another.
func Converting(from, to string) (all []Stage) {
	from, to = OnTheWay(from), OnTheWay(to)
	if from == to {
		return nil
	}
	if from != Packed {
		all = append(all, Stage{Decompress, func(in *Input, out *Output) error {
			r, end, err := decompressor(from, in)
			if err != nil {
				return err
			}
			defer end()
			_, err = io.Copy(out, r)
			return err
		}})
	}
	if to != Packed {
		all = append(all, Stage{Compress, func(in *Input, out *Output) error {
			w, err := compressor(to, out)
			if err != nil {
				return err
			}
			_, err = io.Copy(w, in)
			return errors.Join(err, w.Close())
		}})
	}
	return all
}

// IncomingItem is an item that is being written, under another name until it is complete.
type IncomingItem struct {
	store      *Store
	file       *os.File
	name, temp string
	format     string
}

// Create begins an item, which must not be there.
func (s *Store) Create(name, format string) (*IncomingItem, error) {
	if !names.MatchString(name) {
		return nil, badName(name)
	}
	if _, err := s.root.Lstat(name); err == nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	temp := unfinished + strings.ToLower(rand.Text())
	f, err := s.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &IncomingItem{s, f, name, temp, format}, nil
}

// Writing takes an item to its file.
func (w *IncomingItem) Writing() Stage {
	return Stage{Write, func(in *Input, out *Output) error {
		list := &unpacker{size: w.file.Truncate, data: func(at int64, b []byte) error {
			_, err := w.file.WriteAt(b, at)
			return err
		}}
		var to io.Writer = list
		if w.format != Raw {
			to = w.file
		}
		for {
			b, err := in.Next()
			switch {
			case errors.Is(err, io.EOF) && w.format == Raw:
				return list.close()
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			}
			if _, err := to.Write(b); err != nil {
				return err
			}
			if err := out.Give(b); err != nil {
				return err
			}
		}
	}}
}

// flushEvery is how much of a file may wait in the memory of its machine, in bytes: so the
// time of the medium shows while the item moves, and not at its end.
const flushEvery = 8 << 20

// Flushing has what was written go to the medium.
func (w *IncomingItem) Flushing() Stage {
	return Stage{Flush, func(in *Input, _ *Output) error {
		for waiting := 0; ; {
			b, err := in.Next()
			if errors.Is(err, io.EOF) {
				return w.file.Sync()
			}
			if err != nil {
				return err
			}
			waiting += len(b)
			Release(b)
			if waiting < flushEvery {
				continue
			}
			waiting = 0
			if err := unix.Fdatasync(int(w.file.Fd())); err != nil {
				return os.NewSyscallError("fdatasync", err)
			}
		}
	}}
}

// Commit gives the item its name. One that is there already is not replaced.
func (w *IncomingItem) Commit() error {
	if err := w.store.root.Link(w.temp, w.name); err != nil {
		return err
	}
	if err := w.store.root.Remove(w.temp); err != nil {
		return err
	}
	w.temp = ""
	d, err := w.store.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Close ends the writing. What was not committed is removed.
func (w *IncomingItem) Close() error {
	err := w.file.Close()
	if w.temp != "" {
		err = errors.Join(err, w.store.root.Remove(w.temp))
	}
	return err
}

// Copying makes an item from another one of the same store without moving its data through
// this process: by sharing its blocks, or in the kernel. It sets shared accordingly.
func (w *IncomingItem) Copying(ctx context.Context, from string, shared *bool) Stage {
	return Stage{Copy, func(_ *Input, out *Output) error {
		f, info, err := w.store.open(from)
		if err != nil {
			return err
		}
		defer f.Close()
		if *shared, err = clone.Contents(ctx, w.file, f); err != nil {
			return err
		}
		out.bytes = info.Size()
		return unchanged(f, info)
	}}
}

// Sum describes an item, whatever its format.
type Sum struct {
	Digest string `json:"digest"` // SHA-256 of its content, holes as zeros, in hexadecimal
	Size   int64  `json:"size"`   // bytes of its content
	// Holes is how much of it its format has no data for, in bytes.
	Holes int64 `json:"holes"`
	// Allocated is the file's size on its file system, in bytes.
	Allocated int64 `json:"allocated"`
}

// Sum reads an item and returns its digest and sizes.
func (s *Store) Sum(ctx context.Context, name, format string) (Sum, error) {
	f, info, err := s.open(name)
	if err != nil {
		return Sum{}, err
	}
	defer f.Close()
	var sum Summer
	stages := append([]Stage{s.Reading(name, format, true)}, Converting(format, Packed)...)
	if _, err := Run(ctx, "", append(stages, sum.Stage())); err != nil {
		return Sum{}, err
	}
	out := sum.Result()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		out.Allocated = st.Blocks * 512 // stat(2): in units of 512 bytes
	}
	return out, nil
}

// Make makes an item up, in a format.
func (s *Store) Make(ctx context.Context, name, format string, it content.Item) error {
	w, err := s.Create(name, format)
	if err != nil {
		return err
	}
	defer w.Close()
	stages := append([]Stage{Making(it.Size, it.Each)}, Converting(Packed, format)...)
	if _, err := Run(ctx, "", append(stages, w.Writing(), w.Flushing())); err != nil {
		return err
	}
	return w.Commit()
}
