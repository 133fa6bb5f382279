package probe

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/aio"
)

// kind of access.
type kind int

const (
	read kind = iota
	write
	writeFlush // a write and then fdatasync, timed together
	writeDsync // a write that is flushed by itself (RWF_DSYNC)
)

// first is the request that an access of this kind begins with.
func (k kind) first() aio.Kind {
	switch k {
	case read:
		return aio.Read
	case writeDsync:
		return aio.WriteDsync
	}
	return aio.Write
}

// pattern is one way to use the file.
type pattern struct {
	name, text string
	kind       kind
	block      int64
	depth      int
	random     bool
	from, to   int64 // the part of the file that is used
	// share is its part of the time of the probe; at most limit operations are
	// done, 0 for no limit.
	share float64
	limit int64
	seed  uint64
}

// outcome of a pattern: its histogram and, in slices of time, its rates.
type outcome struct {
	Measure
	rates []float64 // bytes a second in each tenth of a second
}

// slice is the grain in which rates are kept.
const slice = 100 * time.Millisecond

// depthPerThread is how many requests one thread keeps under way before a
// second one helps, so that a processor is not the limit of deep patterns.
const depthPerThread = 8

// run uses the file in a pattern for a time.
func run(ctx context.Context, f *os.File, p pattern, span time.Duration) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	before := machineTimes()
	began := time.Now()
	generators := make([]*generator, min(max(1, p.depth/depthPerThread), runtime.NumCPU()))
	var all sync.WaitGroup
	for i := range generators {
		g := newGenerator(f, p, i, len(generators), began)
		generators[i] = g
		all.Go(func() { g.err = g.work(ctx) })
	}
	all.Wait()
	o, err := collect(p, generators, time.Since(began))
	o.MachineBusy = machineTimes().busySince(before)
	return o, err
}

// generator keeps its share of the requests under way from one thread.
type generator struct {
	p      pattern
	file   int
	op     aio.Kind
	places *places
	tally  *tally
	queue  aio.Queue
	buffer []byte
	begun  []time.Time // of the request with that tag
	issued int64
	most   int64 // requests that it may issue, 0 for no limit
	cpu    time.Duration
	engine string
	err    error
}

func newGenerator(f *os.File, p pattern, number, of int, began time.Time) *generator {
	g := &generator{
		p: p, file: int(f.Fd()), op: p.kind.first(), tally: newTally(p.block, began),
		places: newPlaces(p, number, of), begun: make([]time.Time, p.depth*(number+1)/of-p.depth*number/of),
	}
	if p.limit > 0 {
		g.most = max(1, p.limit/int64(of))
	}
	return g
}

// work issues requests until the time is over, then waits for the last.
func (g *generator) work(ctx context.Context) (err error) {
	runtime.LockOSThread() // the CPU that is counted is the thread's
	defer runtime.UnlockOSThread()
	before := threadTime()
	if err := g.open(); err != nil {
		return err
	}
	defer func() {
		if closed := g.close(); err == nil {
			err = closed
		}
		g.cpu = threadTime() - before
	}()
	for tag := range g.begun {
		if !g.issue(ctx, tag) {
			break
		}
	}
	return g.serve(ctx)
}

func (g *generator) open() (err error) {
	if g.queue, err = aio.New(len(g.begun), ""); err != nil {
		return err
	}
	g.engine = g.queue.Name()
	if g.buffer, err = aio.Buffer(int(g.p.block) * len(g.begun)); err != nil {
		return err
	}
	g.queue.Keep(g.buffer)
	g.places.fill(g.buffer)
	return nil
}

func (g *generator) close() error {
	err := g.queue.Close() // waits for requests that still use the buffer
	if freed := aio.Free(g.buffer); err == nil {
		err = freed
	}
	return err
}

// serve takes completions and issues the next request for each.
func (g *generator) serve(ctx context.Context) error {
	var done []aio.Completion
	for flying := g.issued; flying > 0; {
		var err error
		if done, err = g.queue.Wait(done[:0], slice); err != nil {
			return err
		}
		now := time.Now()
		for _, c := range done {
			more, err := g.complete(ctx, c, now)
			if err != nil {
				return err
			}
			if !more {
				flying--
			}
		}
	}
	return nil
}

// complete counts a request and issues the next in its place; more reports whether one is
// outstanding with this tag.
func (g *generator) complete(ctx context.Context, c aio.Completion, now time.Time) (more bool, err error) {
	flushed := g.p.kind == writeFlush && c.N == 0 // which transfers nothing
	switch {
	case c.Err != nil:
		return false, fmt.Errorf("%s: %w", g.p.text, c.Err)
	case !flushed && int64(c.N) != g.p.block:
		return false, fmt.Errorf("%s: %d of %d bytes", g.p.text, c.N, g.p.block)
	case g.p.kind == writeFlush && !flushed:
		return true, g.queue.Submit(aio.Request{Kind: aio.Flush, File: g.file, Tag: c.Tag})
	}
	g.tally.count(now, now.Sub(g.begun[c.Tag]))
	return g.issue(ctx, c.Tag), nil
}

// issue submits the next request, if there is one to do.
func (g *generator) issue(ctx context.Context, tag int) bool {
	if ctx.Err() != nil || g.most > 0 && g.issued >= g.most {
		return false
	}
	at, ok := g.places.next()
	if !ok {
		return false
	}
	g.issued++
	g.begun[tag] = time.Now()
	request := aio.Request{Kind: g.op, File: g.file, Offset: at, Tag: tag}
	request.Buffer = g.buffer[int64(tag)*g.p.block : int64(tag+1)*g.p.block]
	return g.queue.Submit(request) == nil // a tag is free, so the queue is not full
}

// threadTime is the CPU time of this thread.
func threadTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return time.Duration(unix.TimevalToNsec(u.Utime) + unix.TimevalToNsec(u.Stime))
}
