package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockRun makes the run directory if need be and takes its lock, so that two
// processes never work on one run. The kernel drops the lock when the process
// ends, however it ends.
func lockRun(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, cannotRun(fmt.Errorf("make the run directory: %w", err), "choose another place with --runs")
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the run directory: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		f.Close()
		return nil, codedError{fmt.Errorf("%s is being worked on by another plimsoll", dir), exitCannotRun,
			"wait for it to end, or stop it with Ctrl-C in its terminal"}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the run directory: %w", err)
	}
	return func() { f.Close() }, nil
}
