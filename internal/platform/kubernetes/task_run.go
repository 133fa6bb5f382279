package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/platform/logfile"
)

// running is a task in its pod.
type running struct {
	tasks *tasks
	about platform.Task
	pod   *corev1.Pod
	// given is closed when the task has all of its job and input. Until then the job may be
	// handed over again, and output repeated.
	given chan struct{}
	done  chan struct{}
	quit  context.Context // done when its pod has ended, or is to be given up
	end   context.CancelFunc
	ahead atomic.Int64 // by which the clock of its node is, in ns, when it was last asked

	log  logfile.Log // a copy, from its end on
	file *os.File    // that the copy is written to

	mu      sync.Mutex
	stopped bool // by Stop, which is no error
	killed  bool // by Kill
	input   error
	err     error
}

var (
	_ platform.Running = (*running)(nil)
	_ inPod            = (*running)(nil)
)

func newRunning(a *tasks, t platform.Task, of *corev1.Pod) (*running, error) {
	r := &running{tasks: a, about: t, pod: of, given: make(chan struct{}), done: make(chan struct{})}
	r.quit, r.end = context.WithCancel(context.Background())
	var err error
	r.log, r.file, err = logfile.Open(filepath.Join(a.k.logs, t.Name+".log"))
	return r, err
}

// run talks to the pod until the task has ended.
func (r *running) run(l *link) {
	defer close(r.done)
	defer r.end()
	go r.watchPod()
	go r.followClock()
	status, err := r.converse(l)
	r.keepLog(status.Tail)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = r.judge(status, err)
}

// lastWords is how long the link to a pod that has ended may still bring something.
const lastWords = 5 * time.Second

// watchPod gives up the link when the pod has ended: a node that is lost breaks no
// connection.
func (r *running) watchPod() {
	_, err := r.tasks.k.pods.Await(r.quit, r.pod.Name, r.pod.UID, func(now *corev1.Pod) (bool, error) { return podEnded(now), nil })
	if err == nil || errors.Is(err, api.ErrGone) {
		select {
		case <-r.quit.Done():
		case <-time.After(lastWords):
		}
		r.end()
	}
}

// converse hands the job over and waits for the end, over as many links as it
// takes.
func (r *running) converse(l *link) (pod.Status, error) {
	for {
		stop := context.AfterFunc(r.quit, l.close)
		status, err := r.over(l)
		stop()
		l.close()
		if !errors.Is(err, pod.ErrBroken) {
			return status, err
		}
		if r.quit.Err() != nil {
			return status, errPodEnded
		}
		r.tasks.k.env.Log.Debug("the link to a task has broken", "task", r.Name(), "error", err)
		if l, err = r.tasks.connect(r.quit, r.pod); err != nil {
			return status, err
		}
	}
}

// over does the same over one link.
func (r *running) over(l *link) (pod.Status, error) {
	r.ahead.Store(int64(l.offset))
	if !isClosed(r.given) {
		job := r.about.Job
		job.Offset = l.offset
		input, err := l.Give(func(to io.Writer) error { return r.write(to, job) })
		if err != nil {
			return pod.Status{}, err
		}
		r.mu.Lock()
		r.input = input
		r.mu.Unlock()
		close(r.given)
	}
	return l.End()
}

// write gives the job and the input, from its start.
func (r *running) write(to io.Writer, job task.Job) error {
	if r.about.Input == nil {
		return task.WriteJob(to, job, nil)
	}
	input, err := r.about.Input()
	if err != nil {
		return err
	}
	defer input.Close()
	return task.WriteJob(to, job, input)
}

// judge puts the reason of the end into words. The caller holds mu.
func (r *running) judge(status pod.Status, err error) error {
	switch {
	case r.input != nil:
		return fmt.Errorf("%s: %w: %w", r.Name(), platform.ErrInput, r.input)
	case r.stopped && (err == nil || errors.Is(err, errPodEnded)), err == nil && !status.Failed:
		return nil
	}
	how := status.How
	if err != nil {
		how = err.Error()
	}
	if status.OutOfMemory {
		how += ", because there was no memory left (OOMKilled)"
	}
	known, takenAway := r.look()
	switch {
	case r.killed && !status.OutOfMemory:
		return r.log.WithTail(fmt.Errorf("%s %w: %s", r.Name(), platform.ErrKilled, how))
	case takenAway:
		return r.log.WithTail(fmt.Errorf("%s ended: %s: %w: %s", r.Name(), how, platform.ErrTakenAway, known))
	case known != "":
		how += ": " + known
	}
	return r.log.WithTail(fmt.Errorf("%s ended: %s", r.Name(), how))
}

// lookLimit bounds how long the API server is asked about a pod, when it is away.
const lookLimit = 90 * time.Second

// look asks for the state of the pod and describes it. takenAway reports whether it was
// ended from outside.
func (r *running) look() (what string, takenAway bool) {
	ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
	defer cancel()
	now, err := api.Of[corev1.Pod](r.tasks.k.client, r.pod.Namespace).Get(ctx, r.pod.Name)
	switch {
	case apierrors.IsNotFound(err), err == nil && now.UID != r.pod.UID:
		return deletedFromOutside, true
	case err != nil:
		return err.Error(), false
	}
	return reason(now)
}

var deletedFromOutside = api.ErrGone.Error()

// reason is why a pod ends, by its status; empty when the status gives no reason.
func reason(now *corev1.Pod) (what string, takenAway bool) {
	for _, c := range now.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return fmt.Sprintf("its pod was evicted (%s: %s)", c.Reason, c.Message), true
		}
	}
	end := api.Ended(now, taskContainer)
	switch {
	case now.Status.Reason != "":
		return fmt.Sprintf("its pod failed (%s: %s)", now.Status.Reason, now.Status.Message), true
	case now.DeletionTimestamp != nil:
		return deletedFromOutside, true
	case end != nil:
		return fmt.Sprintf("its container ended (%s, exit status %d)", end.Reason, end.ExitCode), false
	}
	return "", false
}

// Name is the task's.
func (r *running) Name() string { return r.about.Name }

// Pod is where it runs.
func (r *running) Pod() *corev1.Pod { return r.pod }

// Done is closed when the task has ended.
func (r *running) Done() <-chan struct{} { return r.done }

// Err says why it ended.
func (r *running) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Open has the pod give its spool from a frame on, as it grows.
func (r *running) Open(ctx context.Context, from uint64) (io.ReadCloser, error) {
	select {
	case <-r.given:
	case <-r.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.tasks.hasEnded(r.pod) {
		return nil, fmt.Errorf("read the output of %s: %w", r.Name(), errPodEnded)
	}
	ctx, cancel := context.WithCancel(ctx)
	in, hangUp := io.Pipe() // closing it ends the input of the program in the pod
	out, to := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := r.tasks.exec(ctx, r.pod, in, to, "read", "-from", strconv.FormatUint(from, 10))
		_ = to.CloseWithError(err) // nil is io.EOF
		_ = in.Close()
	}()
	return &spool{PipeReader: out, close: func() {
		_ = hangUp.Close()
		cancel()
		<-ended
	}}, nil
}

// spool is what comes from the pod.
type spool struct {
	*io.PipeReader
	close func()
}

func (s *spool) Close() error {
	err := s.PipeReader.Close()
	s.close()
	return err
}

// taskStopLimit is how long a task may take to end in order: it closes sessions and writes
// its records.
const taskStopLimit = 20 * time.Second

// Stop has the task end in order, and kills it when that does not help in time.
func (r *running) Stop(ctx context.Context) error {
	if isClosed(r.done) {
		return nil
	}
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, taskStopLimit)
	defer cancel()
	err := r.request(ctx)
	if err == nil {
		select {
		case <-r.done:
			return nil
		case <-ctx.Done():
		}
	}
	return errors.Join(fmt.Errorf("%s did not stop within %s and was killed", r.Name(), taskStopLimit), err, r.Kill())
}

// request has the supervisor end the task, over a connection of its own.
func (r *running) request(ctx context.Context, how ...string) error {
	for {
		err := r.tasks.exec(ctx, r.pod, nil, io.Discard, append([]string{"stop"}, how...)...)
		if err == nil {
			return nil
		}
		select {
		case <-r.done:
			return nil
		case <-ctx.Done():
			return err
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// taskKillLimit is how long the pod is asked to end the task; after that it is deleted.
const taskKillLimit = 15 * time.Second

// goneLimit is how long a pod that is deleted may take to end.
const goneLimit = 2 * time.Minute

// Kill ends the task at once; its output so far stays. If the pod does not respond, it is
// deleted.
func (r *running) Kill() error {
	ctx, cancel := context.WithTimeout(context.Background(), taskKillLimit)
	defer cancel()
	if isClosed(r.done) {
		return nil
	}
	r.mu.Lock()
	r.killed = true
	r.mu.Unlock()
	if err := r.request(ctx, "-now"); err == nil {
		select {
		case <-r.done:
			return nil
		case <-ctx.Done():
		}
	}
	return r.delete()
}

func (r *running) delete() error {
	ctx, cancel := context.WithTimeout(context.Background(), goneLimit)
	defer cancel()
	err := r.tasks.k.client.Delete(ctx, r.pod, 0)
	r.end()
	select {
	case <-r.done:
		return err
	case <-ctx.Done():
		return errors.Join(err, fmt.Errorf("%s (pod %s) is still there %s after it was killed: its node may be lost", r.Name(), r.pod.Name, goneLimit))
	}
}

// Remove deletes the pod, and what the task wrote with it.
func (r *running) Remove(ctx context.Context) error {
	if !isClosed(r.done) {
		return fmt.Errorf("%s has not ended: its output is still being written", r.Name())
	}
	r.tasks.forget(r.Name())
	return r.tasks.k.client.Delete(context.WithoutCancel(ctx), r.pod, 0)
}

// Log reads the task's log: once the task has ended, from the copy.
func (r *running) Log(ctx context.Context) (io.ReadCloser, error) {
	if isClosed(r.done) {
		return r.log.Reader()
	}
	return r.stream(ctx)
}

func (r *running) stream(ctx context.Context) (io.ReadCloser, error) {
	log, err := r.tasks.k.client.Log(ctx, r.pod.Namespace, r.pod.Name, &corev1.PodLogOptions{Container: taskContainer})
	if err != nil {
		return nil, fmt.Errorf("read the log of %s: %w", r.Name(), api.Explained(err))
	}
	return log, nil
}

// keepLog copies the log, which goes with the pod, or else keeps its end.
func (r *running) keepLog(tail string) {
	ctx, cancel := context.WithTimeout(context.Background(), lookLimit)
	defer cancel()
	defer r.file.Close()
	from, err := r.stream(ctx)
	if err == nil {
		_, err = io.Copy(r.file, from)
		_ = from.Close()
	}
	if err != nil {
		fmt.Fprintf(r.file, "plimsoll: the rest of this log is lost: %v\n%s\n", err, tail)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
