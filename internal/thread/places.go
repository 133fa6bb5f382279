package thread

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// left is for how many more goroutines there are places.
var left atomic.Int32

// SetPlaces says how many goroutines may block a thread each without telling Go's
// scheduler, which goes on without them: a program that sets GOMAXPROCS so that
// enough threads are left for all else. Without it there are none.
func SetPlaces(n int) { left.Store(int32(n)) }

// TakePlace takes a place, if one is left; GivePlace gives it back.
func TakePlace() bool {
	if left.Add(-1) >= 0 {
		return true
	}
	left.Add(1)
	return false
}

// GivePlace gives back what TakePlace took.
func GivePlace() { left.Add(1) }

// SleepUntil blocks the thread until a moment, for who has taken a place: so it is
// the system alone that can wake it late.
func SleepUntil(due time.Time) {
	for rest := time.Until(due); rest > 0; rest = time.Until(due) {
		sleep := unix.NsecToTimespec(rest.Nanoseconds())
		_, _, errno := syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&sleep)), 0, 0)
		if errno != 0 {
			runtime.Gosched() // the scheduler's signal asked for it
		}
	}
}
