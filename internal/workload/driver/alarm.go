package driver

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm sleeps exactly, within some tens of microseconds, where Go's timers
// may be a millisecond late: on an idle thread Go waits for them in whole
// milliseconds. It is a timer of the system that the poller waits for as for a
// socket, so no thread is blocked.
type alarm struct {
	descriptor int
	file       *os.File
}

func newAlarm() (*alarm, error) {
	d, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a timer for the open loop: %w", err)
	}
	return &alarm{descriptor: d, file: os.NewFile(uintptr(d), "timer")}, nil
}

// sleep sleeps for a short time, which cannot be interrupted.
func (a *alarm) sleep(d time.Duration) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	if err := unix.TimerfdSettime(a.descriptor, 0, &spec, nil); err != nil {
		return fmt.Errorf("set a timer: %w", err)
	}
	var expirations [8]byte
	if _, err := a.file.Read(expirations[:]); err != nil {
		return fmt.Errorf("wait for a timer: %w", err)
	}
	return nil
}

func (a *alarm) close() error { return a.file.Close() }
