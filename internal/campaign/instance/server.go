package instance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// Server is one part of an instance, as its role is filled.
type Server struct {
	facts.Role
	Name string // db-007; worker-007-1 where an instance has several

	i    *Instance
	by   filler
	slot string // within its instance: db-0

	mu         sync.Mutex
	ownVolumes []*Volume
	first      *Server // of its role, on whose volumes it lives; nil where it has its own
	process    platform.Process
	killed     []platform.Process // by faults of the study
}

// unique names it within the run, so that a volume or process of a trial is
// never taken for one of another.
func (s *Server) unique() string { return s.i.App.Prefix + s.Name }

// Clone gives it volumes with its part of the data set.
func (s *Server) Clone(ctx context.Context) error {
	return s.make(ctx, func(ctx context.Context, h *Volume) (storage.Volume, error) {
		v, err := h.Storage.Clone(ctx, s.i.App.Data.volumeKey(h.Slot), h.claim())
		if err != nil {
			err = fmt.Errorf("%s: clone its volume: %w", s.Name, err)
		}
		return v, err
	})
}

// provision gives it empty volumes.
func (s *Server) provision(ctx context.Context) error {
	return s.make(ctx, func(ctx context.Context, h *Volume) (storage.Volume, error) {
		v, err := h.Storage.Provision(ctx, h.claim())
		if err != nil {
			err = fmt.Errorf("%s: make its volume: %w", s.Name, err)
		}
		return v, err
	})
}

// lay lays out what the server needs on its volumes, which are empty, and starts it
// where data are to be loaded by it: those after it ask where it is.
func (s *Server) lay(ctx context.Context) error {
	if len(s.ownVolumes) > 0 {
		if err := s.by.initialise(ctx, s); err != nil {
			return err
		}
	}
	if !s.Need.Load {
		return nil
	}
	return s.start(ctx, false)
}

// Config is what the server is like.
func (s *Server) Config() app.Config {
	c := s.i.App.config(s.Role, s.unique())
	c.Peers = s.i.endpointsOf(s.Role.After)
	c.Siblings, c.Self = s.i.reserved[s.Role.Name], slices.Index(s.i.Part(s.Role.Name).Servers, s)
	for _, h := range s.Mounted() {
		if h.Made != nil {
			c.Mounts = append(c.Mounts, s.named(h.Made.Endpoint(), h.Name))
		}
	}
	return c
}

// start starts the server, if there is one to start, and waits until it answers.
// limited leaves its limits on.
func (s *Server) start(ctx context.Context, limited bool) error { return s.by.start(ctx, s, limited) }

// home returns the server's first volume. A server without volumes runs on the node of its
// instance's other servers.
func (s *Server) home() (v storage.Volume) {
	if own := s.volumes(); len(own) > 0 {
		return own[0]
	}
	for _, other := range s.i.Servers {
		for _, of := range other.volumes() {
			v.Cgroups = of.Cgroups
		}
	}
	return v
}

// others returns all its volumes except the first.
func (s *Server) others() (all []platform.Mounted) {
	on := s.Mounted()
	for _, h := range on[min(1, len(on)):] {
		all = append(all, platform.Mounted{Mount: h.Name, Volume: *h.Made})
	}
	return all
}

// stop ends the server cleanly, if it was started.
func (s *Server) stop(ctx context.Context) error {
	p := s.Current()
	if p == nil {
		return nil
	}
	if err := p.Stop(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// ExpectEnd says in advance that a fault of the study is about to end the server, so that its
// end is no failure.
func (s *Server) ExpectEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = append(s.killed, s.process)
}

// Kill ends it at once, if it was started.
func (s *Server) Kill() error {
	if p := s.Current(); p != nil {
		return p.Kill()
	}
	return nil
}

// Current is the server that runs now, nil where none was started.
func (s *Server) Current() platform.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Runs reports whether it was started and has not ended.
func (s *Server) Runs() bool {
	p := s.Current()
	if p == nil {
		return false
	}
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

// Endpoint is how users reach it.
func (s *Server) Endpoint() endpoint.Endpoint { return s.named(s.by.endpoint(s), s.Role.Name) }

// Admin is how the administrator reaches it.
func (s *Server) Admin() endpoint.Endpoint {
	return s.named(s.by.admin(s, s.by.endpoint(s)), s.Role.Name)
}

// Watched describes it to the platform that watches it; ok is false if there is nothing to watch.
func (s *Server) Watched() (w platform.WatchedInstance, ok bool) {
	can := app.CapabilitiesOf(s.Engine)
	w = platform.WatchedInstance{Name: s.Name, Meter: can.Meter}
	if can.Sessions != nil && s.by.ready(s) {
		w.Sessions = func(ctx context.Context, e endpoint.Endpoint) (app.Sessions, error) {
			if w.Process == nil {
				e = s.Endpoint()
			}
			return can.Sessions(ctx, s.by.admin(s, e))
		}
	}
	if p := s.Current(); p != nil {
		w.Process = p
		return w, true
	}
	return w, w.Sessions != nil
}

// named returns an endpoint with its role and kind set.
func (s *Server) named(e endpoint.Endpoint, role string) endpoint.Endpoint {
	e.Role, e.Kind = role, cmp.Or(e.Kind, s.Role.Kind)
	return e
}

// StartAgain starts the server on the volume of the one that was killed. It reports whether there
// is one to start.
func (s *Server) StartAgain(ctx context.Context) (again bool, err error) {
	old := s.Current()
	if old == nil {
		return false, nil
	}
	if err := s.start(ctx, true); err != nil {
		return false, fmt.Errorf("start it again: %w", err)
	}
	if now, before := s.Current().Endpoint(), old.Endpoint(); now.Address != before.Address {
		return false, fmt.Errorf("%s came back at %s, but its users expect it at %s", s.Name, now.Address, before.Address)
	}
	return true, nil
}

// AwaitEnd waits until a process of it ends, and gives the error with which it
// did so by itself. An end that a fault of the study brought about, or stop before any, gives
// none.
func (s *Server) AwaitEnd(p platform.Process, stop <-chan struct{}) error {
	select {
	case <-stop:
	case <-p.Done():
		if err := p.Err(); err != nil && !s.wasKilled(p) {
			return err
		}
	}
	return nil
}

// wasKilled reports whether a fault of the study ended the server.
func (s *Server) wasKilled(p platform.Process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.killed, p)
}

// Ready reports whether users can reach it.
func (s *Server) Ready() bool { return s.by.ready(s) }

// Instance is the instance that it is a part of.
func (s *Server) Instance() *Instance { return s.i }

// down stops the server, keeps its log and deletes its volumes.
func (s *Server) down(ctx context.Context, logs string, keepVolumes bool) error {
	var errs []error
	if p := s.Current(); p != nil {
		errs = append(errs, p.Stop(ctx), KeepLog(ctx, p.Log, filepath.Join(logs, s.Name+".log")))
	}
	if keepVolumes {
		return errors.Join(errs...)
	}
	for _, h := range s.ownVolumes {
		if h.Made != nil {
			errs = append(errs, h.Storage.Delete(ctx, *h.Made))
		}
	}
	return errors.Join(errs...)
}
