package thread

import (
	"runtime"
	"time"
)

// Turns lets Go's scheduler run now and then, for a goroutine that else runs without a
// pause. The scheduler's monitor interrupts what has run for 10 ms. It then looks every
// 20 µs until the scheduler has run, and takes the place of a thread that is in a system
// call at that moment, which costs throughput (docs/driver-measurements.md).
type Turns struct{ last time.Time }

// Yield is called between units of work with the time; every is less than 10 ms.
func (t *Turns) Yield(now time.Time, every time.Duration) {
	if now.Sub(t.last) > every {
		runtime.Gosched()
		t.last = now
	}
}
