package desktops

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// preparers is how many sessions' files are made at once.
const preparers = 8

// Prepare makes the files of every session. If it fails, it removes the files that it made.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	return fileio.Prepare(t, ownerOf(t, own), top, usersOf(t)*own.space(), func(root *fileio.Root, volume uint64) error {
		l := loader{p: own, users: usersOf(t), root: root, volume: volume, progress: progress}
		return l.load(ctx)
	})
}

// loader is a volume while it is prepared.
type loader struct {
	p      *Parameters
	users  int64
	root   *fileio.Root
	volume uint64

	lock     sync.Mutex
	done     int64 // bytes
	progress func(float64)
}

func (l *loader) load(ctx context.Context) error {
	if err := l.root.Make(top); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(preparers)
	for user := range l.users {
		g.Go(func() error { return l.session(ctx, user) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := l.root.Sync(); err != nil {
		return err
	}
	l.progress(1)
	return nil
}

// session makes the files of one.
func (l *loader) session(ctx context.Context, user int64) (err error) {
	for _, path := range directoriesOf(user) {
		if err := errors.Join(ctx.Err(), l.root.Make(path)); err != nil {
			return err
		}
	}
	d, err := openDesk(l.root, l.p, l.volume, user)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for number := range l.p.files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		write := func(f *fileio.File) error { return d.write(f, number, loaded().base) }
		if err := d.with(number, fileio.OpenMode{Create: true}, write); err != nil {
			return err
		}
		l.advance(l.p.size(number))
	}
	return nil
}

// advance reports the progress.
func (l *loader) advance(bytes int64) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.done += bytes
	l.progress(float64(l.done) / float64(l.users*l.p.space())) // which has room for more
}
