package medium

import (
	"testing"
	"time"

	"plimsoll/test/quick"
)

func testFlash() Flash {
	return Flash{
		Channels: 25, Page: 32 << 10,
		ReadLatency: 100 * time.Microsecond, WriteLatency: 30 * time.Microsecond,
		Program: 675 * time.Microsecond, Flush: 20 * time.Microsecond,
		ReadRate: 1.8e9, WriteRate: 1.0e9, Cache: Cache{Bytes: 32 << 20, Protected: true},
	}
}

// The figures of the drive's data sheet, which the source quotes.
func TestFlashKeepsItsDataSheet(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	perSecond := func(depth, count int, next func(int) Request) float64 {
		_, end := closedLoop(newFlash(testFlash()), depth, count, next)
		return float64(count) / end.Seconds()
	}
	alone, _ := closedLoop(newFlash(testFlash()), 1, 1000, random(Read, 4096, testSize, 1))
	near(t, "latency of a read", mean(alone).Seconds(), 100e-6+4096/1.8e9, 0.001)
	near(t, "random reads a second", perSecond(512, 100000, random(Read, 4096, testSize, 1)), 250e3, 0.05)
	near(t, "random writes a second", perSecond(256, 200000, random(Write, 4096, testSize, 1)), 37e3, 0.05)
	near(t, "sequential reads", perSecond(32, 20000, sequential(Read, 128<<10))*(128<<10), 1.8e9, 0.02)
	near(t, "sequential writes", perSecond(32, 20000, sequential(Write, 128<<10))*(128<<10), 1.0e9, 0.02)
	near(t, "small sequential writes", perSecond(32, 200000, sequential(Write, 4096))*4096, 1.0e9, 0.05)
}

func TestFlashFlush(t *testing.T) {
	volatile := testFlash()
	volatile.Cache.Protected = false
	if got := flushTime(newFlash(testFlash()), 100, 4096); got != testFlash().Flush {
		t.Errorf("a flush of a protected cache takes %s", got)
	}
	got := flushTime(newFlash(volatile), 100, 4096) // four rounds on 25 channels
	near(t, "flush of 100 writes", got.Seconds(), 4*675e-6+20e-6, 0.01)
}

func TestWriteCliff(t *testing.T) {
	spec := testFlash()
	spec.FastBytes, spec.SlowProgram = 512<<20, 6*time.Millisecond
	f := newFlash(spec)
	const count = 16 << 10
	times, _ := closedLoop(f, 32, count, sequential(Write, 128<<10))
	early, late := mean(times[:2000]), mean(times[count-2000:])
	if late < 4*early {
		t.Errorf("writes take %s before the cliff and %s after it", early, late)
	}
	at, _ := f.Next()
	f.Advance(at + time.Hour)
	if f.fast != float64(spec.FastBytes) {
		t.Errorf("an hour of rest regained %g of %d bytes", f.fast, spec.FastBytes)
	}
}
