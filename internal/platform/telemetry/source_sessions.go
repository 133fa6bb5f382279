package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// Rates at which sessions are listed. A list costs a server 0.3 to 1.1 ms of CPU
// (bench/sessions), so that all servers together are asked at most so often: more servers make as many
// lists in all.
const (
	mostLists    = 10 // a second of a server
	mostListsAll = 64 // a second of all servers
)

// listLimit bounds one list and one connection.
const listLimit = 5 * time.Second

// sessionSums sums lists of the sessions of a server.
type sessionSums struct {
	lists    int
	sessions float64 // at work
	states   map[describe.Component]float64
	waits    map[wait]float64
}

func newSums() sessionSums {
	return sessionSums{states: map[describe.Component]float64{}, waits: map[wait]float64{}}
}

// add adds a list.
func (s *sessionSums) add(all []describe.Activity) {
	s.lists++
	s.sessions += float64(len(all))
	for _, a := range all {
		if a.Component == "" {
			continue // among the threads that run or wait for a CPU
		}
		s.states[a.Component]++
		if a.Name != "" {
			s.waits[wait{a.Component, a.Name}]++
		}
	}
}

// sessionSource lists the sessions of a server between the samples, in a goroutine of its own,
// so that a server that is slow to answer delays no sample.
type sessionSource struct {
	name   string
	files  *files
	cancel context.CancelFunc
	done   chan struct{}

	interval atomic.Int64 // ns between lists

	mu     sync.Mutex
	open   func(context.Context) (app.Sessions, error)
	own    map[int]bool // processes of the server
	work   map[int]bool // threads of theirs that were seen to work for sessions
	sums   sessionSums
	listed bool
	err    error // of the last try
}

func startSessions(f *files, name string, open func(context.Context) (app.Sessions, error)) *sessionSource {
	ctx, cancel := context.WithCancel(context.Background()) // it ends with close
	s := &sessionSource{name: name, files: f, cancel: cancel, done: make(chan struct{}), open: open, sums: newSums(), work: map[int]bool{}}
	s.interval.Store(int64(time.Second / mostLists))
	go s.run(ctx)
	return s
}

// share sets the rate for a number of servers.
func (s *sessionSource) share(servers int) {
	perSecond := min(float64(mostLists), float64(mostListsAll)/float64(max(servers, 1)))
	s.interval.Store(int64(float64(time.Second) / perSecond))
}

// follow sets how the server is reached and its processes. The process may have been replaced.
func (s *sessionSource) follow(open func(context.Context) (app.Sessions, error), members []*process) {
	own := make(map[int]bool, len(members))
	for _, p := range members {
		own[p.pid] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open, s.own = open, own
}

// workers are the threads that were seen to work for sessions. One that never was has worked for a
// small part of the time at most.
func (s *sessionSource) workers() map[int]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.work)
}

// take returns the sums since it was called before.
func (s *sessionSource) take() sessionSums {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := s.sums
	s.sums = newSums()
	return sums
}

// close ends the lists, and notes why if there was none.
func (s *sessionSource) close() {
	s.cancel()
	<-s.done
	if !s.listed && s.err != nil {
		s.files.silent = append(s.files.silent, fmt.Sprintf("what the sessions of %s wait for is not known: %v", s.name, s.err))
	}
}

func (s *sessionSource) run(ctx context.Context) {
	defer close(s.done)
	for wait := time.Second; ctx.Err() == nil; wait = min(2*wait, mostPause) {
		lists, err := s.listUntil(ctx)
		if ctx.Err() == nil {
			s.err = err
		}
		if errors.Is(err, app.ErrHidden) || errors.Is(err, app.ErrHopeless) {
			return // it would fail again
		}
		if lists > 0 {
			wait = time.Second
		}
		pause(ctx, wait) // the server may be restarting
	}
}

// mostPause is the longest pause between tries to connect.
const mostPause = 30 * time.Second

// listUntil lists sessions over one connection until it breaks or ctx ends, and returns how often.
func (s *sessionSource) listUntil(ctx context.Context) (lists int, err error) {
	s.mu.Lock()
	open := s.open
	s.work = map[int]bool{} // the process may be another
	s.mu.Unlock()
	sessions, err := opened(ctx, open)
	if err != nil {
		return 0, err
	}
	defer sessions.Close()
	threads := map[int]bool{} // that belong to the server
	for ; ctx.Err() == nil; lists++ {
		if err := s.list(ctx, sessions, threads); err != nil {
			return lists, err
		}
		pause(ctx, time.Duration(s.interval.Load()))
	}
	return lists, ctx.Err()
}

func opened(ctx context.Context, open func(context.Context) (app.Sessions, error)) (app.Sessions, error) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	return open(ctx)
}

func (s *sessionSource) list(ctx context.Context, sessions app.Sessions, threads map[int]bool) error {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	all, err := sessions.List(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	own := s.own // never changed, only replaced
	s.mu.Unlock()
	for i := range all {
		all[i] = resolved(all[i], own, threads)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.work, threads)
	s.listed = true
	s.sums.add(all)
	return nil
}

// resolved looks at the thread of a session. One that is ready to run waits for nothing any more,
// whatever the server says. One of which the server does not say that it waits does if it sleeps.
func resolved(a describe.Activity, own, threads map[int]bool) describe.Activity {
	if a.Thread == 0 {
		return a
	}
	switch state := stateOfThread(a.Thread, own, threads); {
	case state == 'R':
		return describe.Activity{}
	case a.Component != "":
	case state == 'D':
		a.Component = describe.DeviceWait
	case state == 'S':
		a.Component = sleepsFor(a.Thread)
	}
	return a
}

// sleepsFor is what a thread that sleeps is known to wait for; empty where it may be its client, as its
// work may have ended since the list. The kernel names the function in which it sleeps, or 0 where that
// is hidden.
func sleepsFor(thread int) describe.Component {
	function, err := os.ReadFile("/proc/" + strconv.Itoa(thread) + "/wchan")
	if err != nil {
		return ""
	}
	return sleepIn(string(function))
}

// sleepIn is what a thread waits for in a function of the kernel. File systems in user space answer
// requests in a sleep that can be interrupted (FUSE, request_wait_answer), unlike all others.
func sleepIn(function string) describe.Component {
	switch {
	case function == "" || function == "0", strings.Contains(function, "poll"), strings.Contains(function, "data_wait"), strings.Contains(function, "wait_data"):
		return ""
	case function == "request_wait_answer", strings.HasPrefix(function, "fuse_"):
		return describe.DeviceWait
	}
	return describe.OtherWait
}

// stateOfThread reads the state of a thread of the server's processes; 0 for any other, such as
// one whose number means something else in the server's namespace.
func stateOfThread(id int, own, threads map[int]bool) byte {
	dir := "/proc/" + strconv.Itoa(id)
	if !threads[id] {
		text, err := os.ReadFile(dir + "/status")
		if err != nil {
			return 0
		}
		at := bytes.Index(text, []byte("\nTgid:"))
		pid, _, read := number(text[max(0, at)+len("\nTgid:"):])
		if at < 0 || !read || !own[int(pid)] {
			return 0 // perhaps not yet
		}
		threads[id] = true
	}
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0
	}
	return stateOf(text)
}
