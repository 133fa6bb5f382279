package thread

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Settings are how a program that does nothing else runs its goroutines, as a driver does.
type Settings struct {
	// Threads is how many threads run Go code at once; 0 leaves that as it is.
	Threads int
	// Places is how many goroutines may block a thread each without telling Go's
	// scheduler, which goes on without them. Threads must leave enough for all else.
	Places int
	// Blocked is how many threads may wait for files at once.
	Blocked int
	// Alone reports whether one user has the program, and its only place, to himself, and
	// lets the scheduler run every few milliseconds.
	Alone bool
	// Calm has the scheduler's monitor wake late; see CalmMonitor.
	Calm bool
}

// What of the settings in use is asked often. Go has one scheduler for a process, and so
// there is one of each: left is for how many more goroutines there are places; many is
// whether more threads may wait at once than had better keep their places.
var (
	left  atomic.Int32
	many  atomic.Bool
	alone atomic.Bool
)

// Use applies the settings to this process. The returned function undoes all but the
// monitor's, for tests.
func (s Settings) Use() (undo func()) {
	threads, places, wasMany, wasAlone := 0, left.Load(), many.Load(), alone.Load()
	if s.Threads > 0 {
		threads = runtime.GOMAXPROCS(s.Threads)
	}
	left.Store(int32(s.Places))
	many.Store(s.Places > mostHeld || s.Blocked > mostBlocked)
	alone.Store(s.Alone)
	if s.Calm {
		_ = CalmMonitor() // it is not forbidden to be slower
	}
	return func() {
		if threads > 0 {
			runtime.GOMAXPROCS(threads)
		}
		left.Store(places)
		many.Store(wasMany)
		alone.Store(wasAlone)
	}
}

// mostHeld is with how many threads that wait for sockets each had better keep its place
// in the scheduler. With many, the signals and turns that keep the scheduler's monitor
// from taking their places cost too much CPU. With few, giving a place back costs more:
// the system moves threads away from the processor of the server that answers them, and
// the last thread at work must wake one that polls (docs/driver-measurements.md).
const mostHeld = 16

// mostBlocked is the same for threads that wait in reads and writes of files. More that
// held their places would make the reporter and each other wait
// (docs/driver-measurements.md).
const mostBlocked = 4

// Alone reports whether who waits had better keep the place: with no other, the
// scheduler's monitor takes it away after 20 µs and goes on looking that often,
// which costs CPU (docs/driver-measurements.md). The monitor's signal ends a wait
// of 10 ms (EINTR).
func Alone() bool { return alone.Load() }

// Many reports whether threads had better tell the scheduler when they wait.
func Many() bool { return many.Load() }

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
