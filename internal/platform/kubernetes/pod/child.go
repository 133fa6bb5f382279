package pod

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is the task's process.
type child struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	log  *tail
	done chan struct{}
	// status is how it ended, once done is closed.
	status Status
}

// logDelay is how long the log of a process that has ended is waited for, in case
// something of it lives on.
const logDelay = 2 * time.Second

// startChild starts this program as a task. What an earlier one wrote is gone.
func startChild(place Place, log io.Writer) (*child, error) {
	spool, err := os.OpenFile(place.spool(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep the output of the task: %w", err)
	}
	defer spool.Close() // the child has its own
	c := &child{cmd: exec.Command("/proc/self/exe", "task"), log: &tail{to: log}, done: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr = spool, c.log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.cmd.WaitDelay = logDelay
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the task: %w", err)
	}
	killedBefore := outOfMemoryKills()
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the task: %w", err)
	}
	go c.watch(killedBefore)
	return c, nil
}

func (c *child) watch(killedBefore int64) {
	_ = c.cmd.Wait() // the state says more
	c.killGroup()    // the rest of its process group
	state := c.cmd.ProcessState
	c.status = Status{
		Ended: true, How: state.String(), Failed: !state.Success(), Tail: c.log.String(),
		OutOfMemory: !state.Success() && outOfMemoryKills() > killedBefore,
	}
	close(c.done)
}

// stop asks it to end in order.
func (c *child) stop() { _ = c.cmd.Process.Signal(syscall.SIGTERM) } // it may have ended

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	c.killGroup()
}

func (c *child) killGroup() { _ = unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL) }
