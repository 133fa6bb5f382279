package thread

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// left is for how many more goroutines there are places; many is whether more threads
// may wait at once than had better keep their places; alone is whether there is a single
// user, with a single place.
var (
	left  atomic.Int32
	many  atomic.Bool
	alone atomic.Bool
)

// mostHeld is with how many threads that wait for sockets each had better keep its place
// in the scheduler. With 64 users of PostgreSQL who read single rows, the signals and
// turns by which the scheduler's monitor is kept from taking places that are held cost as
// much CPU as the statements; with 8, a place given back let the system leave more of the
// threads away from the processor of the server that answers them. With 1 user, giving a
// place back and taking it again costs as much as a statement, because then the last
// thread at work must wake one that polls.
const mostHeld = 16

// mostBlocked is the same for threads that wait in reads and writes of files: when 4
// readers of 1 MiB from the page cache, and the reporter, held their places, p95 was three
// times fio's.
const mostBlocked = 4

// SetPlaces says how many goroutines may block a thread each without telling Go's
// scheduler, which goes on without them: a program that sets GOMAXPROCS so that
// enough threads are left for all else. Without it there are none.
func SetPlaces(n int) {
	left.Store(int32(n))
	many.Store(n > mostHeld)
}

// SetBlocked says how many threads may wait for files at once.
func SetBlocked(n int) { many.Store(n > mostBlocked) }

// SetAlone says whether one user has the program, and its only place, to himself, and
// lets the scheduler run every few milliseconds.
func SetAlone(yes bool) { alone.Store(yes) }

// Alone says that who waits had better keep the place: with no other, the scheduler's
// monitor takes it away after 20 µs, and goes on looking that often, which made I/Os with
// 64 outstanding 15 % dearer. The monitor's signal ends a wait of 10 ms (EINTR).
func Alone() bool { return alone.Load() }

// Many says that threads had better tell the scheduler when they wait.
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
