package training

import (
	"context"
	"errors"
	"sync"
	"time"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// accelerator is a session: it takes one batch after the other and computes on it.
type accelerator struct {
	compute time.Duration
	readers []*reader
	turn    int // of the readers, whose batch is the next

	clock  clock
	others *barrier // nil where it does not wait for them
	failed int      // batches in a row
	timer  *time.Timer

	end  context.CancelFunc
	wait sync.WaitGroup
	mu   sync.Mutex
	errs error // of readers that have ended
}

func openAccelerator(ctx context.Context, t workload.Target, p *Parameters, user int) (*accelerator, error) {
	f := p.figures()
	running, end := context.WithCancel(context.Background())
	a := &accelerator{compute: f.compute, end: end, timer: time.NewTimer(0)}
	if alone(t) {
		a.compute = 0
	} else if p.Barrier {
		role, _ := p.role()
		a.others = join(t.Endpoint(role))
	}
	for n := range f.readers {
		number := user*f.readers + n
		r := &reader{
			data: p.data(), source: p.source(t, number), made: fileio.InMemory(t), batch: f.batch,
			place: int64(number), step: int64(max(1, t.Users) * f.readers), ready: make(chan batch, p.Prefetch-1),
		}
		if err := r.begin(ctx, int(p.BlockSize)); err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.readers = append(a.readers, r)
		a.wait.Go(func() { a.ended(r.run(running)) })
	}
	return a, nil
}

func (a *accelerator) ended(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.errs = errors.Join(a.errs, err)
}

// Broken implements workload.Session: readers open everything anew after an error.
func (a *accelerator) Broken() bool { return false }

// Close implements workload.Session.
func (a *accelerator) Close() error {
	if a.others != nil {
		a.others.leave()
	}
	a.end()
	a.timer.Stop()
	a.wait.Wait()
	return a.errs
}

// Do implements workload.Session: it waits for a batch and computes on it, and waits for the
// others where it is to.
func (a *accelerator) Do(ctx context.Context, rec workload.Recorder) error {
	a.clock.enter(workload.Now())
	defer func() { a.clock.leave(workload.Now()) }()
	b, err := a.next(ctx)
	if err != nil {
		return err
	}
	for i, r := range b.reads {
		rec.Observe(opRead, r.begun, r.took, outcome(b.err != nil && i == len(b.reads)-1))
	}
	free := a.clock.free
	if b.err != nil {
		now := workload.Now()
		rec.Observe(opBatch, free, now.Sub(free), workload.Failed)
		a.clock.free = now
		return errors.Join(b.err, a.pause(ctx))
	}
	a.failed = 0
	begin, end := a.clock.step(b.loaded, a.compute)
	if a.others != nil {
		computed := end
		if end, err = a.others.arrive(ctx, computed); err != nil {
			return err
		}
		a.clock.free = end
		defer rec.Observe(opSync, computed, end.Sub(computed), workload.Done)
	}
	if err := a.sleep(ctx, end); err != nil {
		return err
	}
	rec.Observe(opWait, free, begin.Sub(free), workload.Done)
	rec.Observe(opCompute, begin, a.compute, workload.Done)
	rec.Observe(opBatch, free, end.Sub(free), workload.Done)
	rec.Moved(opBatch, b.bytes)
	return nil
}

func outcome(failed bool) workload.Outcome {
	if failed {
		return workload.Failed
	}
	return workload.Done
}

// next takes the next batch, of the readers in turn.
func (a *accelerator) next(ctx context.Context) (b batch, err error) {
	select {
	case b = <-a.readers[a.turn].ready:
		a.turn = (a.turn + 1) % len(a.readers)
		return b, nil
	case <-ctx.Done():
		return b, ctx.Err()
	}
}

// pause waits after a batch that failed, so that storage that is gone does not keep processors
// busy.
func (a *accelerator) pause(ctx context.Context) error {
	a.failed++
	return a.sleep(ctx, workload.Now().Add(fileio.Pause(a.failed)))
}

func (a *accelerator) sleep(ctx context.Context, until time.Time) error {
	a.timer.Reset(time.Until(until))
	select {
	case <-a.timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clock is an accelerator's own: it computes for exactly as long as it is to, and goes on at
// once where the next batch is there, whenever the machine wakes the one who plays it. That a
// batch was loaded late is all that makes it wait.
type clock struct {
	free time.Time // when it has done the batch before
	left time.Time // when the session was left; zero before it was entered
}

// enter leaves out the time that nobody had the accelerator at work.
func (c *clock) enter(now time.Time) {
	if c.left.IsZero() {
		c.free = now
		return
	}
	c.free = c.free.Add(now.Sub(c.left))
}

func (c *clock) leave(now time.Time) { c.left = now }

// step computes on a batch.
func (c *clock) step(loaded time.Time, compute time.Duration) (begin, end time.Time) {
	begin = c.free
	if loaded.After(begin) {
		begin = loaded
	}
	c.free = begin.Add(compute)
	return begin, c.free
}
