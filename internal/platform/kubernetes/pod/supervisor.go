package pod

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// supervisor is the first process of a task's pod.
type supervisor struct {
	place Place
	log   io.Writer
	// handover is held by who hands over a job.
	handover sync.Mutex
	ended    chan struct{} // closed when status is final

	mu     sync.Mutex
	giver  net.Conn // over which a job comes
	child  *child   // at work, or getting its input
	over   bool     // no child begins any more
	status Status

	connections atomic.Int64
}

// Supervise waits for a job, has a child do it, and stays until ctx is cancelled or
// SIGTERM comes; the child is then ended in order. The error says how it failed.
func (p Place) Supervise(ctx context.Context, log io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	listener, err := p.listen()
	if err != nil {
		return err
	}
	s := &supervisor{place: p, log: log, ended: make(chan struct{})}
	go s.accept(listener)
	<-ctx.Done()
	s.stop()
	<-s.ended
	s.awaitReaders()
	_ = listener.Close() // as the end of this process would
	if s.status.Failed {
		return fmt.Errorf("the task ended: %s", s.status.How)
	}
	return nil
}

// listen makes the socket, and a link to this program for the pod's other commands.
func (p Place) listen() (net.Listener, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	for _, old := range []string{p.socket(), p.Program()} { // of a container that was started again
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.Symlink(own, p.Program()); err != nil {
		return nil, err
	}
	return net.Listen("unix", p.socket())
}

// readersLimit is how long the supervisor waits for readers of the task's last output.
const readersLimit = 10 * time.Second

func (s *supervisor) awaitReaders() {
	for began := time.Now(); s.connections.Load() > 0 && time.Since(began) < readersLimit; {
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *supervisor) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return // it was closed
		}
		s.connections.Add(1)
		go func() {
			defer s.connections.Add(-1)
			s.serve(conn)
		}()
	}
}

// speaker answers on a connection.
type speaker struct {
	net.Conn
	mu sync.Mutex
}

func (s *speaker) say(a answer) {
	text, err := json.Marshal(a)
	if err != nil {
		return // it is plain text and numbers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.Write(append(text, '\n')) // who does not listen will ask again
}

func (s *supervisor) serve(conn net.Conn) {
	defer conn.Close()
	gone := make(chan struct{})
	defer close(gone)
	to := &speaker{Conn: conn}
	for r := bufio.NewReader(conn); ; {
		verb, err := r.ReadString('\n')
		if err != nil {
			return
		}
		switch strings.TrimSpace(verb) {
		case verbClock:
			to.say(answer{Clock: time.Now().UnixNano()})
		case verbJob:
			if err := s.take(conn, r); err != nil {
				to.say(answer{Error: err.Error()})
				return // what follows is not known
			}
			to.say(answer{Given: true})
		case verbStatus:
			now := s.now()
			to.say(answer{Status: &now})
		case verbEnd:
			go s.tellEnd(to, gone)
		case verbStop:
			s.stop()
		case verbKill:
			s.kill()
		default:
			to.say(answer{Error: fmt.Sprintf("unknown verb %q", verb)})
			return
		}
	}
}

func (s *supervisor) tellEnd(to *speaker, gone <-chan struct{}) {
	select {
	case <-gone:
	case <-s.ended:
		now := s.now()
		to.say(answer{Status: &now})
	}
}

func (s *supervisor) now() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// headStart is how much of a job and its input is taken before the child begins: a
// connection that breaks earlier has begun nothing. Jobs without input are smaller.
const headStart = 1 << 20

// take has a child do the job that follows, unless one has got all of its job
// before. When it is cut off, all is as if it had never come. One that comes over
// another connection is given up: nobody hands over two.
func (s *supervisor) take(conn net.Conn, from io.Reader) error {
	defer s.replaceGiver(conn)()
	body := httputil.NewChunkedReader(from)
	first, err := io.ReadAll(io.LimitReader(body, headStart))
	if err != nil {
		return fmt.Errorf("take the job: %w", err)
	}
	c, err := s.start()
	if err != nil {
		return err
	}
	if c == nil {
		_, err := io.Copy(io.Discard, body)
		return err
	}
	_, err = io.Copy(&indifferent{to: c.in}, io.MultiReader(bytes.NewReader(first), body))
	if err != nil {
		return errors.Join(fmt.Errorf("take the input of the job: %w", err), s.giveUp(c))
	}
	s.given(c)
	return nil
}

// replaceGiver ends what comes over another connection, and waits until it has
// ended.
func (s *supervisor) replaceGiver(conn net.Conn) (done func()) {
	s.mu.Lock()
	if s.giver != nil {
		_ = s.giver.Close()
	}
	s.mu.Unlock()
	s.handover.Lock()
	s.mu.Lock()
	s.giver = conn
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.giver = nil
		s.mu.Unlock()
		s.handover.Unlock()
	}
}

// start gives no child when there is to be none any more.
func (s *supervisor) start() (*child, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, nil
	}
	c, err := startChild(s.place, s.log)
	s.child = c
	return c, err
}

// giveUp ends a child that did not get all of its input.
func (s *supervisor) giveUp(c *child) error {
	c.kill()
	<-c.done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.child = nil
	if s.over {
		s.finish(c.status)
	}
	return c.in.Close()
}

// given watches a child that has all of its input.
func (s *supervisor) given(c *child) {
	_ = c.in.Close() // nothing is buffered
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over, s.status.Given = true, true
	go func() {
		<-c.done
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finish(c.status)
	}()
}

// finish notes the end. The caller holds mu.
func (s *supervisor) finish(how Status) {
	how.Given = s.status.Given
	s.status = how
	close(s.ended)
}

// stop ends the child in order; without one, none will begin.
func (s *supervisor) stop() { s.end((*child).stop) }

func (s *supervisor) kill() { s.end((*child).kill) }

func (s *supervisor) end(child func(*child)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.over
	s.over = true
	switch {
	case s.child != nil:
		child(s.child)
	case !begun:
		s.finish(Status{Ended: true, How: "ended before it had a job", Failed: true})
	}
}

// indifferent takes everything, although who it writes to may have ended.
type indifferent struct {
	to     io.Writer
	failed bool
}

func (i *indifferent) Write(p []byte) (int, error) {
	if !i.failed {
		_, err := i.to.Write(p)
		i.failed = err != nil
	}
	return len(p), nil
}
