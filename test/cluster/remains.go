package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/test/cluster/node"
)

const (
	prefix   = "plimsoll-cluster-" // of directories and cgroups
	lockName = "lock"              // of the file that every process of the cluster holds locked
	pidFile  = "pid"

	// Lock files that all clusters share, next to the clusters' directories.
	directoriesLock = "plimsoll-clusters.lock"
	turnLock        = "plimsoll-clusters-turn%d.lock"
)

// occupy makes the cluster's directory, with the lock that says that it is in use,
// after the remains of others were removed.
func (c *Cluster) occupy() (lock *os.File, err error) {
	err = locked(filepath.Join(os.TempDir(), directoriesLock), func() error {
		if err := removeRemains(); err != nil {
			return err
		}
		if node.Hides(os.TempDir()) {
			return fmt.Errorf("the cluster cannot be in %s, which it hides from its programs: set TMPDIR to another directory", os.TempDir())
		}
		dir, err := os.MkdirTemp("", prefix)
		if err != nil {
			return err
		}
		c.config.Directory, c.config.Name = dir, filepath.Base(dir)
		c.client = node.NewClient(c.config.Socket())
		lock, err = take(dir)
		return errors.Join(err, os.Chmod(dir, 0o711)) // pods pass through it to their volumes
	})
	return lock, err
}

// errInUse says that a cluster runs.
var errInUse = errors.New("the cluster runs")

// take locks a cluster's directory.
func take(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errInUse
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func directories() []string {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // the pattern is well-formed
	return found
}

// removeRemains removes what clusters left whose processes were killed.
func removeRemains() error {
	for _, dir := range directories() {
		lock, err := take(dir)
		if errors.Is(err, errInUse) {
			continue
		}
		if err != nil {
			return err
		}
		err = errors.Join(remove(node.Config{Directory: dir, Name: filepath.Base(dir)}), lock.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// remove removes what stays when the last process of a cluster has ended.
func remove(c node.Config) error {
	if err := node.RemoveCgroups(context.Background(), c.Name); err != nil {
		return err
	}
	if err := os.RemoveAll(c.Directory); err != nil {
		return fmt.Errorf("remove the cluster's directory: %w", err)
	}
	return nil
}

// eachNeeds is the memory in bytes of a machine for each cluster that tests have at once: the
// programs of the cluster, the pods of eight tests, and the tests that need no cluster.
const eachNeeds = 8 << 30

// turns is how many clusters tests may have at once on a machine with so much memory in bytes.
func turns(memory uint64) int { return int(min(4, max(1, memory/eachNeeds))) }

// turnsHere is the turns of this machine.
func turnsHere() (int, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, fmt.Errorf("read the memory of the machine: %w", err)
	}
	return turns(info.Totalram * uint64(info.Unit)), nil
}

// waitForTurn waits until fewer than so many tests of this machine have a cluster: test packages
// run side by side. The kernel gives the turn back when the process ends.
func waitForTurn(ctx context.Context, turns int, say func(string)) (*os.File, error) {
	for waits := false; ; waits = true {
		for n := range turns {
			turn, err := takeTurn(n)
			if turn != nil || err != nil {
				return turn, err
			}
		}
		if !waits {
			say("waiting until another test's cluster has ended")
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("other tests' clusters run: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// takeTurn gives the locked file of a turn; nil where a test has it.
func takeTurn(n int) (*os.File, error) {
	turn, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf(turnLock, n)), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("wait for the other clusters: %w", err)
	}
	err = unix.Flock(int(turn.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return turn, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, turn.Close()
	}
	return nil, errors.Join(fmt.Errorf("wait for the other clusters: %w", err), turn.Close())
}

// hasEnded waits until no process holds the lock.
func (c *Cluster) hasEnded(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		lock, err := take(c.config.Directory)
		if err == nil {
			_ = lock.Close() // it was opened to look
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Running finds the clusters of this machine that outlive who started them.
func Running() (all []*Cluster) {
	for _, dir := range directories() {
		c, err := find(dir)
		if err == nil && c.config.Stays {
			all = append(all, c)
		}
	}
	return all
}

func find(dir string) (*Cluster, error) {
	lock, err := take(dir)
	if !errors.Is(err, errInUse) {
		return nil, errors.Join(err, lock.Close(), errors.New("it does not run"))
	}
	config, err := node.Read(dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, pidFile))
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	return &Cluster{Kubeconfig: config.Kubeconfig(), Images: config.References, config: config, pid: pid, client: node.NewClient(config.Socket())}, nil
}
