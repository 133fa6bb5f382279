// Package parallelio reads and writes whole files with several threads at once, as what loads
// models and caches does. Every block is one of package fileio's and is verified when it is read.
package parallelio

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/host/aio"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// File is one that is read or written whole.
type File struct {
	Name    string
	Bytes   int64
	Content fileio.Content
}

// Bytes is the size of files together.
func Bytes(files []File) (all int64) {
	for _, f := range files {
		all += f.Bytes
	}
	return all
}

// Timing is when the work on a file began, and how long it took until its last block was
// done.
type Timing struct {
	Began time.Time
	Time  time.Duration
	Flush time.Duration // after that; 0 where nothing is flushed
}

// Options are the ways to read or write files.
type Options struct {
	Direct bool // past the page cache
	Flush  bool // each file that was written, to the medium
	// Shared has all threads work on a file at once, each on one block; else one thread has
	// a file to itself.
	Shared bool
}

// Team is several threads, with a buffer of one block each.
type Team struct {
	buffers []byte
	block   int
}

// NewTeam makes a team of so many threads, which read and write blocks of so many bytes.
// Buffers are random of a seed. Close gives them back.
func NewTeam(threads, block int, seed uint64) (*Team, error) {
	buffers, err := aio.Buffer(threads * block)
	if err != nil {
		return nil, err
	}
	blockcheck.Random(buffers, seed)
	return &Team{buffers, block}, nil
}

// WithTeam does something with a team and closes it.
func WithTeam(threads, block int, seed uint64, do func(*Team) error) error {
	t, err := NewTeam(threads, block, seed)
	if err != nil {
		return err
	}
	return errors.Join(do(t), t.Close())
}

// Close returns the buffers back.
func (t *Team) Close() error { return aio.Free(t.buffers) }

// Read reads and verifies files, in their order, and gives how long each took. After an error
// the other threads end soon. Where dir is nil, contents are made in memory and verified.
func (t *Team) Read(ctx context.Context, dir *fileio.Dir, files []File, how Options) ([]Timing, error) {
	w := work{dir: dir, files: files, how: fileio.OpenMode{Direct: how.Direct}, block: int64(t.block)}
	w.do = func(f *fileio.File, c fileio.Content, block []byte, at int64) error {
		if f == nil {
			c.Fill(block, at)
		} else if err := f.Read(block, at); err != nil {
			return err
		}
		return c.Check(block, at)
	}
	if how.Shared {
		w.share = w.block
	}
	return t.work(ctx, &w)
}

// Write makes files, each by one thread, and gives how long each took. After an error some
// are there. Where dir is nil, contents are made, and written nowhere.
func (t *Team) Write(ctx context.Context, dir *fileio.Dir, files []File, how Options) ([]Timing, error) {
	return t.work(ctx, &work{
		dir: dir, files: files, how: fileio.OpenMode{Create: true, Direct: how.Direct}, flush: how.Flush, block: int64(t.block),
		do: func(f *fileio.File, c fileio.Content, block []byte, at int64) error {
			c.Fill(block, at)
			if f == nil {
				return nil
			}
			return f.Write(block, at)
		},
	})
}

func (t *Team) work(ctx context.Context, w *work) ([]Timing, error) {
	w.took, w.left = make([]Timing, len(w.files)), make([]int64, len(w.files))
	for i, f := range w.files {
		w.left[i] = f.Bytes
	}
	threads := len(t.buffers) / t.block
	if w.share == 0 {
		w.next.file = min(threads, len(w.files)) // those before are the threads' own
	}
	g, ctx := errgroup.WithContext(ctx)
	for n := range threads {
		g.Go(func() error { return w.thread(ctx, n, t.buffers[n*t.block:][:t.block]) })
	}
	return w.took, g.Wait()
}

// work is what the threads share.
type work struct {
	dir   *fileio.Dir // nil in memory
	files []File
	how   fileio.OpenMode
	do    func(f *fileio.File, c fileio.Content, block []byte, at int64) error
	flush bool // files that are done
	block int64
	share int64 // how much of a file a thread takes at once; 0 is all of it

	mu   sync.Mutex
	next part
	took []Timing // by file
	left []int64  // bytes of each file
}

// part is what a thread takes of a file.
type part struct {
	file     int
	from, to int64
}

// first returns the part that a thread begins with, if there is one: where threads have files to
// themselves, each has one of its own, so that as many files as threads are worked on at once.
func (w *work) first(thread int) (p part, more bool) {
	if w.share > 0 {
		return w.take()
	}
	if thread >= len(w.files) {
		return p, false
	}
	w.took[thread].Began = workload.Now()
	return part{file: thread, to: w.files[thread].Bytes}, true
}

// take returns the next part, unless there is none.
func (w *work) take() (p part, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next.file == len(w.files) {
		return p, false
	}
	p, size := w.next, w.files[w.next.file].Bytes
	p.to = size
	if w.share > 0 {
		p.to = min(size, p.from+w.share)
	}
	if p.from == 0 {
		w.took[p.file].Began = workload.Now()
	}
	w.next.from = p.to
	if p.to == size {
		w.next = part{file: p.file + 1}
	}
	return p, true
}

// done notes that a part is.
func (w *work) done(p part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left[p.file] -= p.to - p.from; w.left[p.file] == 0 {
		w.took[p.file].Time = time.Since(w.took[p.file].Began)
	}
}

// thread does one part after the other.
func (w *work) thread(ctx context.Context, n int, buffer []byte) (err error) {
	var f *fileio.File
	of := -1
	defer func() { err = errors.Join(err, closed(f)) }()
	for p, more := w.first(n); more; p, more = w.take() {
		if p.file != of && w.dir != nil {
			err := closed(f)
			f = nil
			if err != nil {
				return err
			}
			if f, err = w.dir.Open(w.files[p.file].Name, w.how); err != nil {
				return err
			}
			of = p.file
		}
		if err := w.blocks(ctx, f, p, buffer); err != nil {
			return err
		}
		w.done(p)
		if w.flush && f != nil {
			began := workload.Now()
			if err := f.Flush(); err != nil {
				return err
			}
			w.took[p.file].Flush = time.Since(began) // nobody else has the file
		}
	}
	return nil
}

// Forget drops files from this machine's page cache, if they were read or written through it.
func Forget(dir *fileio.Dir, files []File, how Options) error {
	if how.Direct || dir == nil {
		return nil
	}
	for _, file := range files {
		f, err := dir.Open(file.Name, fileio.OpenMode{})
		if err != nil {
			return err
		}
		if err := errors.Join(f.Forget(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func closed(f *fileio.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}

// blocks reads or writes the blocks of a part. The last block may be shorter.
func (w *work) blocks(ctx context.Context, f *fileio.File, p part, buffer []byte) error {
	return fileio.Pieces(buffer, p.from, p.to, func(block []byte, at int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.do(f, w.files[p.file].Content, block, at)
	})
}
