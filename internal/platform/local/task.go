package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/logfile"
	"plimsoll/internal/study"
)

// running is a task: a child process that writes its frames to a file of the
// run, which outlives it.
type running struct {
	local *Local
	name  string
	dir   string // holds the spool
	log   logfile.Log
	cmd   *exec.Cmd
	done  chan struct{}

	mu      sync.Mutex
	stopped bool // by Stop, which is no error
	killed  bool // by Kill
	input   error
	err     error
}

var _ platform.Running = (*running)(nil)

// Reserve has nothing to make: a process begins at once.
func (l *Local) Reserve(context.Context, []platform.Task) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

// Task starts this program again with a job. The job goes through a pipe and is never in a
// file.
func (l *Local) Task(_ context.Context, t platform.Task) (platform.Running, error) {
	r := &running{local: l, name: t.Name, dir: filepath.Join(l.env.Work, "tasks", t.Name), done: make(chan struct{})}
	if err := checkName(t.Name); err != nil {
		return nil, err
	}
	if err := l.enlistTask(r); err != nil {
		return nil, err
	}
	if err := r.start(t); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", t.Name, err), r.forget())
	}
	return r, nil
}

func (l *Local) enlistTask(r *running) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tasks[r.name] != nil {
		return fmt.Errorf("a task %s is there already", r.name)
	}
	l.tasks[r.name] = r
	return nil
}

func (r *running) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: r.name}
}

func (r *running) spool() string { return filepath.Join(r.dir, "spool") }

func (r *running) start(t platform.Task) error {
	if err := safefile.Ensure(r.dir, 0o700); err != nil {
		return err
	}
	spool, err := safefile.Create(r.spool(), 0o600)
	if err != nil {
		return err
	}
	defer spool.Close() // the process has its own, as with the log
	log, file, err := logfile.Open(filepath.Join(r.local.logs, r.name+".log"))
	if err != nil {
		return err
	}
	defer file.Close()
	r.log = log
	r.cmd = exec.Command(r.local.env.Executable, "task")
	r.cmd.Stdout, r.cmd.Stderr = spool, file
	r.cmd.Env = append(os.Environ(), r.local.env.Journal.Marker(r.name))
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is the campaign's to pass on
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return err
	}
	return r.launch(t, in)
}

func (r *running) launch(t platform.Task, in io.WriteCloser) error {
	l := r.local
	if err := l.env.Journal.Making(r.object()); err != nil {
		return errors.Join(err, in.Close())
	}
	if err := l.startTask(r.cmd, t.Deployment); err != nil {
		return errors.Join(err, in.Close(), l.env.Journal.Removed(r.object()))
	}
	go func() {
		r.fed(r.feed(t, in))
		_ = in.Close() // nothing is buffered
	}()
	made := r.object()
	made.PID = r.cmd.Process.Pid
	made.StartTime = journal.StartTime(made.PID)
	if err := l.env.Journal.Made(made); err != nil {
		l.env.Log.Warn("the journal could not be written", "error", err)
	}
	go r.watch()
	return nil
}

// startTask starts a task where the instances of a deployment are reached.
func (l *Local) startTask(cmd *exec.Cmd, d study.Deployment) error {
	if d.OrBare() == study.Bare {
		return cmd.Start()
	}
	return l.containers.startOnUsersHost(cmd)
}

// feed hands the job and its input over. A task that ends before it has read
// everything did not want it.
func (r *running) feed(t platform.Task, in io.Writer) error {
	var input io.Reader
	if t.Input != nil {
		from, err := t.Input()
		if err != nil {
			return err
		}
		defer from.Close()
		input = from
	}
	err := task.WriteJob(in, t.Job, input)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// fed notes how the input was handed over, before its end is shown to the task.
func (r *running) fed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.input = err
}

// watch waits for the end.
func (r *running) watch() {
	waitErr := r.cmd.Wait()
	_ = unix.Kill(-r.cmd.Process.Pid, unix.SIGKILL) // the rest of its process group
	journalErr := r.local.env.Journal.Removed(r.object())
	r.mu.Lock()
	r.err = errors.Join(r.judge(waitErr), journalErr)
	r.mu.Unlock()
	close(r.done)
}

// judge puts the reason of the end into words. The caller holds mu.
func (r *running) judge(waitErr error) error {
	switch {
	case r.input != nil:
		return fmt.Errorf("%s: %w: %w", r.name, platform.ErrInput, r.input)
	case r.stopped || waitErr == nil:
		return nil
	}
	if kills, found := cgroup.KilledFor(r.cmd.Process.Pid); found && hint(waitErr) != "" {
		return r.log.WithTail(errors.New(kills.Says(r.name, 0)))
	}
	if r.killed && hint(waitErr) != "" {
		return r.log.WithTail(fmt.Errorf("%s %w", r.name, platform.ErrKilled))
	}
	return r.log.WithTail(fmt.Errorf("%s ended: %w%s", r.name, waitErr, hint(waitErr)))
}

// Name is the task's.
func (r *running) Name() string { return r.name }

// Done is closed when the process has ended.
func (r *running) Done() <-chan struct{} { return r.done }

// Err says why it ended.
func (r *running) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Log reads its log.
func (r *running) Log(context.Context) (io.ReadCloser, error) { return r.log.Reader() }

// taskStopLimit is how long a task may take to end in order: it closes sessions and writes
// its records.
const taskStopLimit = 20 * time.Second

// Stop sends SIGTERM, and SIGKILL when that does not help in time.
func (r *running) Stop(ctx context.Context) error {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	_ = r.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
	case <-time.After(taskStopLimit):
	}
	return errors.Join(fmt.Errorf("%s did not stop within %s of SIGTERM and was killed", r.name, taskStopLimit), r.Kill())
}

// Kill ends it at once.
func (r *running) Kill() error {
	r.mu.Lock()
	r.killed = true
	r.mu.Unlock()
	_ = r.cmd.Process.Kill() // it may have ended by itself
	select {
	case <-r.done:
		return nil
	case <-time.After(killLimit):
		return notEnding(r.name, r.cmd.Process.Pid)
	}
}

// Remove removes its spool.
func (r *running) Remove(context.Context) error {
	select {
	case <-r.done:
		return r.forget()
	default:
		return fmt.Errorf("%s has not ended: its output is still being written", r.name)
	}
}

func (r *running) forget() error {
	r.local.mu.Lock()
	if r.local.tasks[r.name] == r {
		delete(r.local.tasks, r.name)
	}
	r.local.mu.Unlock()
	return os.RemoveAll(r.dir)
}

// endTasks kills what still runs and removes all spools.
func (l *Local) endTasks() error {
	l.mu.Lock()
	var all []*running
	for _, r := range l.tasks {
		all = append(all, r)
	}
	l.mu.Unlock()
	var errs []error
	for _, r := range all {
		errs = append(errs, r.Kill(), r.forget())
	}
	return errors.Join(errs...)
}

// Open reads the spool from a frame on, as it grows.
func (r *running) Open(ctx context.Context, from uint64) (io.ReadCloser, error) {
	spool, err := task.OpenSpool(ctx, r.spool(), from, r.done)
	if err != nil {
		return nil, fmt.Errorf("read the output of %s: %w", r.name, err)
	}
	return spool, nil
}
