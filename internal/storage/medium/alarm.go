package medium

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes one reader at a time that may be moved while it waits. It is a
// timerfd(2) since Go's own timers round to a millisecond when the process is
// idle.
type alarm struct{ fd int }

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a timer: %w", err)
	}
	return &alarm{fd: fd}, nil
}

// set moves the alarm to so long from now.
func (a *alarm) set(in time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, in.Nanoseconds()))} // 0 would disarm it
	_ = unix.TimerfdSettime(a.fd, 0, &spec, nil)                                  // fails only on arguments that cannot occur
}

// wait blocks its thread until the alarm goes off; false when it is closed.
func (a *alarm) wait() bool {
	var expirations [8]byte
	for {
		_, err := unix.Read(a.fd, expirations[:])
		if err != unix.EINTR {
			return err == nil
		}
	}
}
