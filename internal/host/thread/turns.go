package thread

import (
	"runtime"
	"time"
)

// Turns lets Go's scheduler run now and then, for a goroutine that else runs without a
// pause. What runs for 10 ms the scheduler's monitor interrupts, and takes the place of a
// thread that is in a system call then, at every look until the scheduler has run: it looks
// every 20 µs for milliseconds afterwards. A single user created 4 % fewer empty files for
// it.
type Turns struct{ last time.Time }

// Yield is called between units of work with the time; every is less than 10 ms.
func (t *Turns) Yield(now time.Time, every time.Duration) {
	if now.Sub(t.last) > every {
		runtime.Gosched()
		t.last = now
	}
}
