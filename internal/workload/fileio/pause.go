package fileio

import (
	"time"

	"golang.org/x/sys/unix"
)

// The pause after a failure grows from shortestPause to longestPause as long
// as I/Os fail, so that a medium that is gone does not keep a processor busy.
const (
	shortestPause = time.Millisecond
	longestPause  = time.Second
)

// Pause is how long to wait after so many failures in a row.
func Pause(failures int) time.Duration { return min(longestPause, shortestPause<<min(failures, 20)) }

// Sleep blocks the thread for a time: Go's timers may be a millisecond late.
func Sleep(d time.Duration) {
	pause := unix.NsecToTimespec(int64(max(0, d)))
	_ = unix.Nanosleep(&pause, nil) // a signal ends it early, which does no harm
}
