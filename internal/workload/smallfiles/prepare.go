package smallfiles

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// preparers is how many workers' files are made at once: enough to keep a
// cluster busy, whose single files take long.
const preparers = 8

// Prepare makes the directories of all workers and the initial files. If it fails, it
// removes the files that it made.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	return fileio.Prepare(t, ownerOf(t, own), topName, usersOf(t)*own.space(), func(root *fileio.Root, volume uint64) error {
		l := loader{p: own, tree: newTree(own, usersOf(t)), root: root, volume: volume, seed: seed, progress: progress}
		return l.load(ctx)
	})
}

// loader is a volume while it is prepared.
type loader struct {
	p      *Parameters
	tree   tree
	root   *fileio.Root
	volume uint64
	seed   uint64

	lock     sync.Mutex
	done     int64 // workers' files, and directories of trees
	progress func(float64)
}

func (l *loader) load(ctx context.Context) error {
	if err := l.root.Make(topName); err != nil {
		return err
	}
	if err := l.each(ctx, l.tree.trees(), l.directories); err != nil {
		return err
	}
	if err := l.each(ctx, l.tree.users, l.files); err != nil {
		return err
	}
	if err := l.root.Sync(); err != nil {
		return err
	}
	l.advance(1) // the end
	return nil
}

// each does something for so many numbers, some at once.
func (l *loader) each(ctx context.Context, n int64, do func(ctx context.Context, number int64) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(preparers)
	for number := range n {
		g.Go(func() error { return do(ctx, number) })
	}
	return g.Wait()
}

func (l *loader) directories(ctx context.Context, tree int64) error {
	return l.tree.directories(tree, func(path string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return l.root.Make(path)
	})
}

// files makes the files of a worker.
func (l *loader) files(ctx context.Context, worker int64) (err error) {
	open := newLeaves(l.root, l.tree)
	defer func() { err = errors.Join(err, open.close()) }()
	r := newRecords(l.p, l.seed+uint64(worker))
	for number := range l.tree.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.file(&open, r, worker, number); err != nil {
			return err
		}
		l.advance(1)
	}
	return nil
}

func (l *loader) file(open *leaves, r records, worker, number int64) error {
	if !l.p.begins(number) {
		return nil
	}
	at := l.tree.place(worker, number)
	dir, err := open.of(at.tree, l.tree.leaf(at))
	if err != nil {
		return err
	}
	f, err := dir.Open(fileName(at.at, false), fileio.OpenMode{Create: true})
	if err != nil {
		return err
	}
	c := fileio.Content{Volume: l.volume, File: l.tree.number(worker, number), Generation: loaded}
	return errors.Join(r.write(f, c, 0, l.p.bytes(false)), f.Close())
}

// advance reports the progress.
func (l *loader) advance(files int64) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.done += files
	l.progress(float64(l.done) / float64(l.tree.users*l.tree.files+1))
}
