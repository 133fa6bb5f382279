package socket

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	threads "plimsoll/internal/host/thread"
)

// thread is a socket for whose answers the thread of its user sleeps in poll(2),
// as a program in C would, without telling Go's scheduler. Told, the scheduler's
// monitor would look at the thread some ten thousand times a second.
//
// It is poll, not a read that blocks, because of unix sockets: there the system
// wakes whoever sleeps in read also when the other side takes what was sent, once
// for each statement in vain. Go's poller, which asks to learn of room to write,
// is woken so, too.
//
// The scheduler asks for a thread back by a signal, which ends the sleep: for the
// garbage collector, and when its monitor has seen no other goroutine on it for ten
// milliseconds. A goroutine that gives its thread back may go on upon another one,
// perhaps away from the processor of the server that answers it, and then each
// wake-up interrupts the other processor. So others have their turn before they
// are asked for.
//
// With many threads, turns and signals cost more than to tell the scheduler: these
// are released while they wait.
type thread struct {
	fd          int
	released    bool
	waits       atomic.Bool
	interrupted atomic.Bool
	turn        chan struct{}
	lastTurn    time.Time

	// A deadline costs nothing as long as it is moved before it passes: the alarm
	// looks at it when the one that it was set for has come.
	deadline atomic.Int64 // nanoseconds since 1970; 0 is none
	alarmAt  atomic.Int64 // for which deadline the alarm is set; 0 is none
	passed   atomic.Bool  // one has: waits look at the clock

	mu     sync.Mutex // for whoever interrupts: descriptors are used again
	alarm  *time.Timer
	closed bool
}

// turnInterval is how often others have their turn; with the wait for an answer it
// should stay below the monitor's ten milliseconds.
const turnInterval = 4 * time.Millisecond

// newThread takes a socket away from the poller, if there is a place for another
// thread; it is nil if not. The connection's own descriptor may be closed then.
func newThread(raw syscall.RawConn) (*thread, error) {
	if !threads.TakePlace() {
		return nil, nil
	}
	t := &thread{released: threads.Many(), turn: make(chan struct{}), lastTurn: time.Now()}
	var failed error
	err := raw.Control(func(fd uintptr) { failed = t.take(fd) })
	if err == nil {
		err = failed
	}
	if err != nil {
		threads.GivePlace()
		return nil, fmt.Errorf("take a socket from the poller: %w", err)
	}
	return t, nil
}

// take gives the socket a descriptor that the poller does not know.
func (t *thread) take(fd uintptr) error {
	own, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return os.NewSyscallError("fcntl", errno)
	}
	t.fd = int(own)
	return nil
}

// write writes all of b.
func (t *thread) write(b []byte) error {
	for {
		n, err := rawWrite(uintptr(t.fd), b)
		if b = b[max(n, 0):]; len(b) == 0 {
			return nil
		}
		if err != nil && err != syscall.EAGAIN && err != syscall.EINTR {
			return os.NewSyscallError("send", err)
		}
		if err := t.wait(unix.POLLOUT); err != nil {
			return err
		}
	}
}

// read waits for some bytes; none is the end.
func (t *thread) read(b []byte) (int, error) {
	if !t.released && time.Since(t.lastTurn) > turnInterval {
		t.lastTurn = time.Now()
		t.others()
	}
	for {
		if err := t.wait(unix.POLLIN); err != nil {
			return 0, err
		}
		n, err := rawRead(uintptr(t.fd), b)
		if err != syscall.EAGAIN && err != syscall.EINTR {
			return n, os.NewSyscallError("recv", err)
		}
	}
}

// wait lets the scheduler have its turn whenever the system gives the thread back
// without the event.
func (t *thread) wait(event int16) error {
	t.waits.Store(true)
	defer t.waits.Store(false)
	for !t.late() {
		err := t.poll(event)
		if err != syscall.EINTR && !t.late() {
			return os.NewSyscallError("poll", err)
		}
		runtime.Gosched()
	}
	return os.ErrDeadlineExceeded
}

func (t *thread) late() bool { return t.passed.Load() && t.overdue() }

// poll waits for an event of the socket, or for a signal: EINTR. It has no time limit:
// to set and to remove the system's timer cost a tenth of what the driver used for a
// statement.
func (t *thread) poll(event int16) error {
	p := unix.PollFd{Fd: int32(t.fd), Events: event}
	errno := syscall.Errno(0)
	if t.released {
		errno = threads.Poll(&p)
	} else {
		errno = rawPoll(&p, nil)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// others runs the goroutines that wait for this thread. The second one counts as
// a turn of others: who was started or woken last goes on with the turn of who
// did so.
func (t *thread) others() {
	go func() { t.turn <- struct{}{} }()
	go func() {}()
	<-t.turn
}

func (t *thread) setDeadline(at time.Time) {
	due := int64(0)
	if !at.IsZero() {
		due = at.UnixNano()
	}
	t.deadline.Store(due)
	if set := t.alarmAt.Load(); due != 0 && (set == 0 || due < set) {
		t.setAlarm()
	}
}

// setAlarm sets the alarm for the deadline, if there is one.
func (t *thread) setAlarm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	due := t.deadline.Load()
	if due == 0 || t.closed {
		return
	}
	t.alarmAt.Store(due)
	rest := time.Until(time.Unix(0, due))
	if t.alarm == nil {
		t.alarm = time.AfterFunc(rest, t.ring)
		return
	}
	t.alarm.Reset(rest)
}

func (t *thread) overdue() bool {
	due := t.deadline.Load()
	return due != 0 && time.Now().UnixNano() >= due
}

// ring ends a wait whose deadline has passed, and the connection with it, which
// could not be used after it.
func (t *thread) ring() {
	t.alarmAt.Store(0)
	if !t.overdue() {
		t.setAlarm()
		return
	}
	t.passed.Store(true)
	if t.waits.Load() {
		t.shutDown()
	}
}

// interrupt wakes the thread that waits.
func (t *thread) interrupt() {
	t.interrupted.Store(true)
	t.shutDown()
}

func (t *thread) shutDown() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		_ = syscall.Shutdown(t.fd, syscall.SHUT_RDWR) // fails only where the other side has ended it
	}
}

func (t *thread) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if t.alarm != nil {
		t.alarm.Stop()
	}
	threads.GivePlace()
	return os.NewSyscallError("close", syscall.Close(t.fd))
}
