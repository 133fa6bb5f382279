package objects

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/s3wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/objectio"
)

// preparers is how many objects are put at once.
const preparers = 16

// removeWithin bounds how long a failed load may take to remove the objects that it has
// put.
const removeWithin = time.Minute

// Prepare puts the objects that are there when the load begins into an empty bucket, which
// it makes where the store was started for the instance. When it fails it removes them.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	s, err := administer(t, 0)
	if err != nil {
		return err
	}
	volume, err := s.Claim(ctx, ownerOf(t, own))
	if err != nil {
		return err
	}
	l := loader{store: s, p: own, volume: volume, seed: seed, users: usersOf(t), progress: progress}
	if err := l.load(ctx); err != nil {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
		defer stop()
		return errors.Join(err, s.Clear(ctx))
	}
	progress(1)
	return nil
}

// loader is a bucket while it is loaded.
type loader struct {
	store    store
	p        *Parameters
	volume   uint64
	seed     uint64
	users    int64
	next     atomic.Int64 // object of all users
	progress func(float64)
}

func (l *loader) load(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for n := range preparers {
		g.Go(func() error {
			return l.store.Load(n, func(c *s3wire.Conn) error { return l.work(ctx, n, c) })
		})
	}
	return g.Wait()
}

// work puts one object after another that nobody else puts. The first worker reports the
// progress of all.
func (l *loader) work(ctx context.Context, n int, c *s3wire.Conn) error {
	blocks := newBlocks(l.volume, l.p.Verify, l.seed+uint64(n))
	for {
		at := l.next.Add(1) - 1
		if at >= l.users*l.p.Objects {
			return nil
		}
		whose, number := space{user: at / l.p.Objects}, at%l.p.Objects
		key := whose.key(number, l.p.Prefixes)
		is := loaded(l.p, l.volume, whose, number)
		err := bucket.Patiently(ctx, func() error { return c.Put(ctx, key, blocks.body(is, 0, is.size), is.size) })
		if err != nil {
			return named(key, objectio.Classify(err))
		}
		if n == 0 {
			l.progress(0.99 * float64(at) / float64(l.users*l.p.Objects))
		}
	}
}
