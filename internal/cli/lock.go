package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/result"
)

// claimed is a run that this process alone works on: its directory, and its
// identifier on the whole machine, which a copy of the directory shares.
type claimed struct {
	dir   string
	id    string
	state journal.State // what its journal says was there before
	locks []io.Closer
}

func (c *claimed) release() {
	for _, l := range c.locks {
		_ = l.Close() // the kernel drops them with the process at the latest
	}
}

// claimRun makes the run directory if need be and takes the run for this
// process. A run that has no identifier yet gets one.
func claimRun(dir string) (*claimed, error) {
	lock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	c := &claimed{dir: dir, locks: []io.Closer{lock}}
	if err := c.identify(); err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

func (c *claimed) identify() (err error) {
	if c.state, err = journal.Read(filepath.Join(c.dir, result.JournalFile)); err != nil {
		return err
	}
	if c.id = c.state.RunID; c.id == "" {
		c.id = journal.NewRunID(filepath.Base(absolute(c.dir)))
	}
	claim, err := journal.Claim(c.id)
	if errors.Is(err, journal.ErrClaimed) {
		return busy(fmt.Errorf("%s: %w", c.dir, err))
	}
	if err == nil {
		c.locks = append(c.locks, claim)
	}
	return err
}

func busy(err error) error {
	return cannotRun(err, "wait for it to end, or stop it with Ctrl-C in its terminal")
}

// lockFile is the file of a run directory that the process working there locks.
const lockFile = "lock"

// lockDirectory keeps two processes from working in one directory. The kernel
// drops the lock when the process ends, however it ends.
func lockDirectory(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, cannotRun(fmt.Errorf("make the run directory: %w", err), "choose another place with --runs")
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
		return nil, busy(fmt.Errorf("%s is in use by another plimsoll process", dir))
	}
	return nil, fmt.Errorf("lock the run directory: %w", err)
}
