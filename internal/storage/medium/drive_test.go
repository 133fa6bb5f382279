package medium

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func testDrive() Rotational {
	return Rotational{
		RPM: 7200, SeekMin: 500 * time.Microsecond, SeekMax: 15 * time.Millisecond,
		OuterRate: 180e6, InnerRate: 90e6, Interface: 550e6, Overhead: 50 * time.Microsecond,
		Queue: 32, ReadAhead: 1 << 20, Cache: Cache{Bytes: 64 << 20},
	}
}

const testSize = 256 << 30

// closedLoop keeps depth requests under way and gives how long each took.
func closedLoop(m Model, depth, count int, next func(i int) Request) (times []time.Duration, end time.Duration) {
	began := map[uint64]time.Duration{}
	submit := func(now time.Duration, i int) {
		began[uint64(i)] = now
		m.Submit(now, uint64(i), next(i))
	}
	sent := 0
	for ; sent < depth && sent < count; sent++ {
		submit(0, sent)
	}
	for len(times) < count {
		at, ok := m.Next()
		if !ok {
			panic("nothing is under way")
		}
		for _, d := range m.Advance(at) {
			times = append(times, d.At-began[d.ID])
			end = d.At
			if sent < count {
				submit(at, sent)
				sent++
			}
		}
	}
	return times, end
}

func mean(times []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, t := range times {
		sum += t
	}
	return sum / time.Duration(len(times))
}

func random(op Op, length int64, size int64, seed uint64) func(int) Request {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(int) Request { return Request{Op: op, Offset: r.Int64N(size/length) * length, Length: length} }
}

func sequential(op Op, length int64) func(int) Request {
	return func(i int) Request { return Request{Op: op, Offset: int64(i) * length, Length: length} }
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s: %.6g, want %.6g within %g%%", what, got, want, tolerance*100)
	}
}

func TestRandomReadsTakeSeekAndHalfARotation(t *testing.T) {
	spec := testDrive()
	d := newDrive(spec, testSize)
	times, _ := closedLoop(d, 1, 20000, random(Read, 4096, testSize, 1))
	// E[sqrt|x-y|] of two places drawn uniformly is 8/15.
	seek := spec.SeekMin.Seconds() + (spec.SeekMax-spec.SeekMin).Seconds()*8/15
	near(t, "mean seek", d.stats.Seek.Seconds()/20000, seek, 0.01)
	near(t, "mean rotation", d.stats.Rotation.Seconds()/20000, 60/spec.RPM/2, 0.01)
	transfer := 4096 / 130e6
	near(t, "mean time", mean(times).Seconds(), seek+60/spec.RPM/2+spec.Overhead.Seconds()+transfer, 0.01)
}

func TestSequentialReadsRunAtTheRateOfTheZone(t *testing.T) {
	for _, gap := range []time.Duration{0, 50 * time.Microsecond, 300 * time.Microsecond} {
		d := newDrive(testDrive(), testSize)
		at := time.Duration(0)
		const count, length = 2000, 128 << 10
		for i := range count {
			d.Submit(at, uint64(i), Request{Op: Read, Offset: int64(i) * length, Length: length})
			for done := d.Advance(at); len(done) == 0; done = d.Advance(at) {
				at, _ = d.Next()
			}
			at += gap
		}
		near(t, "rate with gaps of "+gap.String(), count*length/at.Seconds(), 180e6, 0.02)
	}
}

// One reader with one request outstanding gets the rate of the zone of his file, as long as
// he asks for the next before the drive has read ahead to its limit; then he waits for the
// platter, unless more requests are outstanding.
func TestSequentialReaderGetsTheRateOfTheZone(t *testing.T) {
	spec := testDrive()
	const size, length = int64(4 << 30), int64(1 << 20)
	for _, place := range []float64{0, 0.5, 0.95} {
		from := int64(place*float64(size)) &^ (length - 1)
		zone := newGeometry(spec, size).rate(from)
		ahead := seconds(float64(spec.ReadAhead) / zone)
		for _, c := range []struct {
			depth int
			pause time.Duration // between an answer and the next request
			slow  bool
		}{{1, 0, false}, {1, ahead * 9 / 10, false}, {8, ahead * 9 / 10, false}, {1, ahead * 11 / 10, true}, {8, ahead * 2, false}} {
			got := streamed(newDrive(spec, size), c.depth, c.pause, from, length)
			t.Logf("at %.0f %%, depth %d, pauses of %s: %.0f MB/s", place*100, c.depth, c.pause, got/1e6)
			if c.slow {
				if got > 0.7*zone {
					t.Errorf("at %.0f MB/s, pauses of %s cost no rotations: %.0f MB/s", zone/1e6, c.pause, got/1e6)
				}
				continue
			}
			near(t, "sequential reads", got, zone, 0.03)
		}
	}
}

// streamed measures the rate of sequential reads with depth of them outstanding, each
// issued a pause after an earlier one completes.
func streamed(m Model, depth int, pause time.Duration, from, length int64) float64 {
	const count = 100
	due := make([]time.Duration, depth) // when the next requests are made
	var sent int
	var ended []time.Duration
	for len(ended) < count {
		at, busy := m.Next()
		if len(due) > 0 && (!busy || due[0] <= at) {
			m.Submit(due[0], uint64(sent), Request{Op: Read, Offset: from + int64(sent)*length, Length: length})
			due, sent = due[1:], sent+1
			continue
		}
		for _, done := range m.Advance(at) {
			ended = append(ended, done.At)
			due = append(due, done.At+pause)
		}
	}
	return float64(length*int64(len(ended)-1)) / (ended[len(ended)-1] - ended[0]).Seconds()
}

func TestSequentialWritesRunAtTheRateOfTheZone(t *testing.T) {
	d := newDrive(testDrive(), testSize)
	const count, length = 8000, 128 << 10
	_, end := closedLoop(d, 1, count, sequential(Write, length))
	rate := count * length / end.Seconds()
	if rate < 170e6 || rate > 200e6 {
		t.Errorf("sequential writes run at %.0f MB/s", rate/1e6)
	}
}

func TestQueueShortensAccess(t *testing.T) {
	last := time.Duration(math.MaxInt64)
	for _, depth := range []int{1, 4, 32} {
		_, end := closedLoop(newDrive(testDrive(), testSize), depth, 5000, random(Read, 4096, testSize, 2))
		t.Logf("depth %d: %.0f a second", depth, 5000/end.Seconds())
		if end >= last {
			t.Errorf("depth %d took %s, less deep %s", depth, end, last)
		}
		last = end
	}
}

func TestPatience(t *testing.T) {
	times, _ := closedLoop(newDrive(testDrive(), testSize), 64, 10000, random(Read, 4096, testSize, 3))
	worst := time.Duration(0)
	for _, x := range times {
		worst = max(worst, x)
	}
	if worst > 2*patience {
		t.Errorf("a read waited %s", worst)
	}
}

func TestWritesAreFastUntilTheCacheIsFull(t *testing.T) {
	d := newDrive(testDrive(), testSize)
	const fit = 64 << 20 / 4096
	times, _ := closedLoop(d, 1, fit+2000, random(Write, 4096, testSize, 4))
	if early := mean(times[:fit/2]); early > 100*time.Microsecond {
		t.Errorf("writes into the empty cache take %s", early)
	}
	late := mean(times[fit+500:])
	if late < time.Millisecond {
		t.Errorf("writes into the full cache take %s", late)
	}
	t.Logf("full cache: %s a write", late)
	if d.stats.Stalls == 0 {
		t.Error("no write found the cache full")
	}
}

// flushTime writes and flushes and gives how long the flush took.
func flushTime(m Model, writes int, lengths int64) time.Duration {
	next := random(Write, lengths, testSize, 5)
	at := time.Duration(0)
	for i := range writes {
		m.Submit(at, uint64(i), next(i))
	}
	pending := writes
	for pending > 0 {
		at, _ = m.Next()
		pending -= len(m.Advance(at))
	}
	m.Submit(at, 1<<40, Request{Op: Flush})
	began := at
	for {
		at, _ = m.Next()
		if len(m.Advance(at)) > 0 {
			return at - began
		}
	}
}

func TestFlushDrainsTheCache(t *testing.T) {
	volatile, protected := testDrive(), testDrive()
	protected.Cache.Protected = true
	one := flushTime(newDrive(volatile, testSize), 1, 4096)
	many := flushTime(newDrive(volatile, testSize), 500, 4096)
	none := flushTime(newDrive(protected, testSize), 500, 4096)
	lie := flushTime(New(Spec{Rotational: &volatile, Lies: true}, testSize), 500, 4096)
	t.Logf("one %s, 500 %s, protected %s, lie %s", one, many, none, lie)
	if one < time.Millisecond || many < 100*one/10 {
		t.Errorf("a flush of one write takes %s, of 500 %s", one, many)
	}
	if none != protected.Overhead || lie != 0 {
		t.Errorf("a flush of a protected cache takes %s, of a liar %s", none, lie)
	}
}

func TestFlushWaitsForWhatWasWrittenBefore(t *testing.T) {
	d := newDrive(testDrive(), testSize)
	d.Submit(0, 1, Request{Op: Write, Offset: 1 << 30, Length: 4096})
	d.Submit(0, 2, Request{Op: Write, Offset: 9 << 30, Length: 4096})
	d.Advance(time.Millisecond)
	d.Submit(time.Millisecond, 3, Request{Op: Flush})
	// Rewritten before the flush is over: the flush may not forget it.
	d.Submit(time.Millisecond, 4, Request{Op: Write, Offset: 9 << 30, Length: 4096})
	for at, ok := d.Next(); ok; at, ok = d.Next() {
		for _, done := range d.Advance(at) {
			if done.ID == 3 && d.cache.covers(9<<30, 9<<30+4096) {
				t.Errorf("the flush was done at %s before the write was on the medium", at)
			}
		}
	}
}

func TestNoCacheWritesThrough(t *testing.T) {
	spec := testDrive()
	spec.Cache = Cache{}
	times, _ := closedLoop(newDrive(spec, testSize), 1, 2000, random(Write, 4096, testSize, 6))
	near(t, "mean write", mean(times).Seconds(), 0.0125, 0.05)
}
