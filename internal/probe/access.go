package probe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"
)

// kind of access.
type kind int

const (
	read kind = iota
	write
	writeFlush // a write and then fdatasync
	writeDsync // a write that is flushed by itself (RWF_DSYNC)
)

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

// run uses the file in a pattern for a time.
func run(ctx context.Context, f *os.File, p pattern, span time.Duration) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	began := time.Now()
	workers := make([]*worker, p.depth)
	var all sync.WaitGroup
	for i := range workers {
		w, err := newWorker(f, p, uint64(i), began)
		if err != nil {
			return outcome{}, err
		}
		workers[i] = w
		all.Go(func() { w.work(ctx) })
	}
	all.Wait()
	return collect(p, workers, time.Since(began))
}

// worker does one request after the other.
type worker struct {
	p         pattern
	file      *os.File
	buffer    []byte
	random    *rand.Rand
	began     time.Time
	next      int64 // of a stream
	stride    int64
	histogram *hdrhistogram.Histogram // nanoseconds
	rates     []float64
	err       error
}

func newWorker(f *os.File, p pattern, number uint64, began time.Time) (*worker, error) {
	// Memory of its own mapping is aligned as direct I/O wants it.
	buffer, err := unix.Mmap(-1, 0, int(p.block), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("get memory for direct I/O: %w", err)
	}
	w := &worker{
		p: p, file: f, buffer: buffer, began: began, random: rand.New(rand.NewPCG(p.seed, number)),
		next: p.from + int64(number)*p.block, stride: int64(p.depth) * p.block,
		histogram: hdrhistogram.New(100, int64(10*time.Minute), 3),
	}
	w.fillBuffer()
	return w, nil
}

// fillBuffer writes what no device can compress.
func (w *worker) fillBuffer() {
	for i := range w.buffer {
		w.buffer[i] = byte(w.random.Uint32())
	}
}

func (w *worker) work(ctx context.Context) {
	defer func() { w.err = errors.Join(w.err, unix.Munmap(w.buffer)) }()
	for count := int64(0); ctx.Err() == nil; count++ {
		if w.p.limit > 0 && count >= w.p.limit/int64(w.p.depth) {
			return
		}
		at, ok := w.place()
		if !ok {
			return
		}
		began := time.Now()
		if w.err = w.do(at); w.err != nil {
			return
		}
		w.count(time.Since(began))
	}
}

// place gives where the next request goes; a stream ends at its end.
func (w *worker) place() (int64, bool) {
	if w.p.random {
		return w.p.from + w.random.Int64N((w.p.to-w.p.from)/w.p.block)*w.p.block, true
	}
	at := w.next
	w.next += w.stride
	return at, at+w.p.block <= w.p.to
}

func (w *worker) do(at int64) error {
	var err error
	switch w.p.kind {
	case read:
		_, err = w.file.ReadAt(w.buffer, at)
	case writeDsync:
		_, err = unix.Pwritev2(int(w.file.Fd()), [][]byte{w.buffer}, at, unix.RWF_DSYNC)
	default:
		_, err = w.file.WriteAt(w.buffer, at)
	}
	if err == nil && w.p.kind == writeFlush {
		err = unix.Fdatasync(int(w.file.Fd()))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.p.text, err)
	}
	return nil
}

func (w *worker) count(took time.Duration) {
	_ = w.histogram.RecordValue(int64(took)) // longer than ten minutes cannot occur
	i := int(time.Since(w.began) / slice)
	for len(w.rates) <= i {
		w.rates = append(w.rates, 0)
	}
	w.rates[i] += float64(w.p.block) / slice.Seconds()
}

func collect(p pattern, workers []*worker, took time.Duration) (outcome, error) {
	all := hdrhistogram.New(100, int64(10*time.Minute), 3)
	var o outcome
	for _, w := range workers {
		if w.err != nil {
			return outcome{}, w.err
		}
		all.Merge(w.histogram)
		for i, r := range w.rates {
			if i >= len(o.rates) {
				o.rates = append(o.rates, 0)
			}
			o.rates[i] += r
		}
	}
	ns := func(v int64) float64 { return float64(v) / 1e9 }
	o.Measure = Measure{
		Name: p.name, Text: p.text, BlockSize: p.block, Depth: p.depth,
		Operations: all.TotalCount(), Seconds: took.Seconds(),
		PerSecond: float64(all.TotalCount()) / took.Seconds(),
		Rate:      float64(all.TotalCount()*p.block) / took.Seconds(),
		Mean:      all.Mean() / 1e9, Max: ns(all.Max()),
		P50: ns(all.ValueAtQuantile(50)), P95: ns(all.ValueAtQuantile(95)), P99: ns(all.ValueAtQuantile(99)),
	}
	return o, nil
}
