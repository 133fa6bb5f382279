package campaigntest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/workload/driver"
)

// running is a task in this process.
type running struct {
	p    *local
	name string
	out  *spool
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	stopped bool  // by Stop, which is no error
	why     error // it was killed
	input   error
	err     error
}

// handlers returns the handlers of the real tasks.
func (w *World) handlers() map[string]task.Handler {
	parts := w.Parts()
	all := job.Handlers(job.Registries{Workloads: parts.Workloads, Engines: parts.Engines})
	all[driver.TaskKind] = driver.Simulated(parts.Workloads)
	return all
}

// atWork is the key under which the context of a task has the task.
type atWork struct{}

// killed reports whether a context belongs to a task that was killed.
func killed(ctx context.Context) error {
	if r, ok := ctx.Value(atWork{}).(*running); ok && r.killed() != nil {
		return fmt.Errorf("%s is dead: %w", r.name, r.killed())
	}
	return nil
}

func (p *local) Task(_ context.Context, t platform.Task) (platform.Running, error) {
	if err := p.w.call("Task", t.Name); err != nil {
		return nil, err
	}
	r := &running{p: p, name: t.Name, done: make(chan struct{}), out: &spool{more: make(chan struct{})}}
	reserved := p.reserved(t.Name)
	if err := p.env.Journal.Making(r.object()); err != nil && !reserved {
		return nil, err
	}
	var in bytes.Buffer
	r.input = feed(&in, t)
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	if err := p.enlist(r); err != nil {
		stop()
		return nil, err
	}
	go func() {
		if !reserved {
			_ = sleep(ctx, placeTime) // one that is stopped says so itself
		}
		r.run(context.WithValue(ctx, atWork{}, r), &in)
	}()
	return r, nil
}

func (p *local) enlist(r *running) error {
	w := p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if what := w.state.processes[r.name]; what != "" && what != "place" {
		return fmt.Errorf("a task %s is there already", r.name)
	}
	w.state.processes[r.name] = "task"
	w.live.add(r.name, r)
	p.write(r.name, "begun")
	return nil
}

func feed(to io.Writer, t platform.Task) error {
	if t.Input == nil {
		return task.WriteJob(to, t.Job, nil)
	}
	input, err := t.Input()
	if err != nil {
		return errors.Join(err, task.WriteJob(to, t.Job, nil))
	}
	return errors.Join(task.WriteJob(to, t.Job, input), input.Close())
}

func (r *running) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: r.name}
}

func (r *running) run(ctx context.Context, in io.Reader) {
	defer close(r.done)
	defer r.stop()
	err := task.Main(ctx, in, r.out, r.p.w.handlers())
	if err != nil {
		r.p.write(r.name, err.Error())
	}
	r.mu.Lock()
	r.err = r.judge(err)
	r.mu.Unlock()
	w := r.p.w
	w.mu.Lock()
	delete(w.state.processes, r.name)
	w.mu.Unlock()
	_ = r.p.env.Journal.Removed(r.object()) // else it is looked for in vain
}

// judge puts the reason of the end into words. The caller holds mu.
func (r *running) judge(err error) error {
	switch {
	case r.input != nil:
		return fmt.Errorf("%s: %w: %w", r.name, platform.ErrInput, r.input)
	case r.why != nil:
		return fmt.Errorf("%s ended: %w", r.name, r.why)
	case r.stopped || err == nil:
		return nil
	}
	return fmt.Errorf("%s ended: %w (its log %s.log)", r.name, err, r.name)
}

func (r *running) killed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

func (r *running) Name() string          { return r.name }
func (r *running) Done() <-chan struct{} { return r.done }

func (r *running) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *running) Log(context.Context) (io.ReadCloser, error) {
	if err := r.p.w.call("Task.Log", r.name); err != nil {
		return nil, err
	}
	return r.p.read(r.name)
}

// Stop kills it when it may not wait for it.
func (r *running) Stop(ctx context.Context) error {
	if err := errors.Join(r.p.w.call("Task.Stop", r.name), ctx.Err()); err != nil {
		return errors.Join(err, r.Kill())
	}
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	r.stop()
	<-r.done
	return nil
}

func (r *running) Kill() error {
	r.end(errors.New("it was killed"))
	return nil
}

// end kills the task; output that it has not written yet is lost.
func (r *running) end(why error) {
	if why == nil {
		why = errors.New("it was killed")
	}
	r.mu.Lock()
	if r.why == nil && !isClosed(r.done) {
		r.why = why
	}
	r.mu.Unlock()
	r.out.cut()
	r.stop()
	<-r.done
}

func (r *running) exit() { r.end(errors.New("the campaign's process ended")) }

func (r *running) Remove(context.Context) error {
	if err := r.p.w.call("Task.Remove", r.name); err != nil {
		return err
	}
	r.p.w.live.forget(r.name)
	return nil
}

func (r *running) Open(ctx context.Context, from uint64) (io.ReadCloser, error) {
	if err := r.p.w.call("Task.Open", r.name); err != nil {
		return nil, err
	}
	left := r.p.w.untilBreak()
	s := &stream{ctx: ctx, spool: r.out, ended: r.done, left: left}
	if left >= 0 {
		return s, nil // it begins anew, as some platforms do
	}
	whole := bytes.NewReader(r.out.bytes())
	if err := task.Seek(whole, from); err != nil {
		return nil, err
	}
	s.at = int(whole.Size()) - whole.Len()
	return s, nil
}

// untilBreak is after how many bytes a stream is to break; -1 is never.
func (w *World) untilBreak() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.breaks == 0 {
		return -1
	}
	w.breaks--
	w.breakAfter += w.breakAfter / 2 // so that each gets farther
	return w.breakAfter
}

// spool is what a task wrote.
type spool struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed when there is more
	dead bool
}

func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dead {
		s.text.Write(p)
	}
	close(s.more)
	s.more = make(chan struct{})
	return len(p), nil
}

// cut keeps the output so far and drops all later output.
func (s *spool) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

func (s *spool) bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.text.Bytes())
}

// from gives the output after a position, and a channel that is closed when
// there is more.
func (s *spool) from(at int, to []byte) (n int, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copy(to, s.text.Bytes()[at:]), s.more
}

// stream reads a spool as it grows.
type stream struct {
	ctx   context.Context
	spool *spool
	ended <-chan struct{}
	at    int
	left  int // bytes until it breaks; -1 when it does not
}

func (s *stream) Read(to []byte) (int, error) {
	if s.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	if s.left > 0 {
		to = to[:min(len(to), s.left)]
	}
	for {
		last := isClosed(s.ended)
		n, more := s.spool.from(s.at, to)
		switch {
		case n > 0:
			s.at += n
			if s.left > 0 {
				s.left -= n
			}
			return n, nil
		case last:
			return 0, io.EOF
		}
		select {
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		case <-s.ended:
		case <-more:
		}
	}
}

func (s *stream) Close() error { return nil }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
