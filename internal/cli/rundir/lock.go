package rundir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/result"
)

// Claimed is a run that this process alone works on: its directory, and its
// identifier on the whole machine, which a copy of the directory shares.
type Claimed struct {
	Dir   string
	ID    string
	State journal.State // what its journal says was there before
	locks []io.Closer
}

// Release lets other processes work on the run.
func (c *Claimed) Release() {
	for _, l := range c.locks {
		_ = l.Close() // the kernel drops them with the process at the latest
	}
}

// Claim makes the run directory if need be and takes the run for this
// process. A run that has no identifier yet gets one.
func Claim(dir string) (*Claimed, error) {
	lock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	c := &Claimed{Dir: dir, locks: []io.Closer{lock}}
	if err := c.identify(); err != nil {
		c.Release()
		return nil, err
	}
	return c, nil
}

func (c *Claimed) identify() (err error) {
	if c.State, err = journal.Read(filepath.Join(c.Dir, result.JournalFile)); err != nil {
		return err
	}
	if c.ID = c.State.RunID; c.ID == "" {
		c.ID = journal.NewRunID(filepath.Base(command.Absolute(c.Dir)))
	}
	claim, err := journal.Claim(c.ID)
	if errors.Is(err, journal.ErrClaimed) {
		return Busy(fmt.Errorf("%s: %w", c.Dir, err))
	}
	if err == nil {
		c.locks = append(c.locks, claim)
	}
	return err
}

// Busy is the error of what another process works on.
func Busy(err error) error {
	return command.CannotRun(err, "wait for it to end, or stop it with Ctrl-C in its terminal")
}

// lockFile is the file of a run directory that the process working there locks.
const lockFile = "lock"

// lockDirectory keeps two processes from working in one directory. The kernel
// drops the lock when the process ends, however it ends.
func lockDirectory(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, command.CannotRun(fmt.Errorf("make the run directory: %w", err), "choose another place with --runs")
	}
	f, err := untrusted.Append(dir, lockFile)
	if err != nil {
		return nil, fmt.Errorf("lock the run directory: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, Busy(fmt.Errorf("%s is in use by another plimsoll process", dir))
	}
	return nil, fmt.Errorf("lock the run directory: %w", err)
}

// InProgress reports whether a process works on a run: it holds the lock of its directory.
func InProgress(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, lockFile)); err != nil {
		return false
	}
	f, err := untrusted.Open(dir, lockFile, 1<<20)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
