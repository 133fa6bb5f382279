package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// server is one part of an instance, as its role is filled.
type server struct {
	member
	i    *instance
	name string // db-007; worker-007-1 where an instance has several
	at   string // its slot

	mu      sync.Mutex
	volume  *storage.Volume
	process platform.Process
	killed  []platform.Process // by faults of the study
}

// unique names it within the run, so that a volume or process of a trial is
// never taken for one of another.
func (s *server) unique() string { return s.i.t.prefix() + s.name }

// clone gives it a volume with its part of the data set.
func (s *server) clone(ctx context.Context) error {
	v, err := s.i.t.class.Clone(ctx, s.i.t.golden.volumeKey(s.at), storage.Claim{Name: s.unique()})
	if err != nil {
		return fmt.Errorf("%s: clone its volume: %w", s.name, err)
	}
	s.take(v)
	return nil
}

// provision gives it an empty volume of the storage class.
func (s *server) provision(ctx context.Context) error {
	v, err := s.i.t.class.Provision(ctx, storage.Claim{Name: s.unique()})
	if err != nil {
		return fmt.Errorf("%s: make its volume: %w", s.name, err)
	}
	s.take(v)
	return nil
}

// lay lays out what the server needs on its volumes, which are empty, and starts it
// where data are to be loaded by it: those after it ask where it is.
func (s *server) lay(ctx context.Context) error {
	if len(s.mounts()) > 0 {
		if err := s.by.initialise(ctx, s); err != nil {
			return err
		}
	}
	if !s.need.Load {
		return nil
	}
	return s.start(ctx, false)
}

func (s *server) take(v storage.Volume) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.volume = &v
}

// config is what the server is like.
func (s *server) config() app.Config {
	c := s.i.t.golden.config(s.member, s.i.t.members, s.i.t.variant, s.unique())
	c.Peers = s.i.endpointsOf(s.role.After)
	return c
}

// start starts the server, if there is one to start, and waits until it answers.
// limited leaves its limits on.
func (s *server) start(ctx context.Context, limited bool) error { return s.by.start(ctx, s, limited) }

// home is its volume. A server without one runs on the node that those of its
// instance share.
func (s *server) home() (v storage.Volume) {
	if s.volume != nil {
		return *s.volume
	}
	for _, other := range s.i.servers {
		if other.volume != nil {
			v.Cgroups = other.volume.Cgroups
		}
	}
	return v
}

// stop ends the server cleanly, if it was started.
func (s *server) stop(ctx context.Context) error {
	p := s.current()
	if p == nil {
		return nil
	}
	if err := p.Stop(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// doom says in advance that a fault of the study is about to end the server.
func (s *server) doom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = append(s.killed, s.process)
}

func (s *server) kill() error {
	if p := s.current(); p != nil {
		return p.Kill()
	}
	return nil
}

// startAgain starts the server on the volume of the one that was killed.
func (s *server) startAgain(ctx context.Context) error {
	old := s.current()
	if old == nil {
		return nil
	}
	if err := s.start(ctx, true); err != nil {
		return fmt.Errorf("start it again: %w", err)
	}
	if now, before := s.current().Endpoint(), old.Endpoint(); now.Address != before.Address {
		return fmt.Errorf("%s came back at %s, but its users expect it at %s", s.name, now.Address, before.Address)
	}
	go s.reportEnd(s.current(), ctx.Done())
	return nil
}

// reportEnd tells when the server ended without being asked to.
func (s *server) reportEnd(p platform.Process, stop <-chan struct{}) {
	select {
	case <-stop:
	case <-p.Done():
		at := time.Now()
		if err := p.Err(); err != nil && !s.wasKilled(p) {
			s.i.t.ended <- timedError{at, fmt.Errorf("server %s ended at %s, %.1f s after the start: %w",
				s.name, at.Format(time.TimeOnly), at.Sub(s.i.t.result.Start).Seconds(), err)}
		}
	}
}

// wasKilled says that a fault of the study ended the server.
func (s *server) wasKilled(p platform.Process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.killed, p)
}

// current is the server that runs now, nil where none was started.
func (s *server) current() platform.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// runs says that it was started and has not ended.
func (s *server) runs() bool {
	p := s.current()
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

// endpoint is how users reach it.
func (s *server) endpoint() endpoint.Endpoint { return s.named(s.by.endpoint(s)) }

// admin is how the administrator reaches it.
func (s *server) admin() endpoint.Endpoint { return s.named(s.by.admin(s)) }

// named is an endpoint as that of the server's role.
func (s *server) named(e endpoint.Endpoint) endpoint.Endpoint {
	e.Role, e.Kind = s.role.Name, cmp.Or(e.Kind, s.kind)
	return e
}

// down stops the server, keeps its log and deletes its volume.
func (s *server) down(ctx context.Context) error {
	var errs []error
	if p := s.current(); p != nil {
		errs = append(errs, p.Stop(ctx), keepLog(ctx, p.Log, filepath.Join(s.i.t.files.Logs(), s.name+".log")))
	}
	if s.volume != nil && s.i.t.powerCuts == 0 { // else it goes with the storage class
		errs = append(errs, s.i.t.class.Delete(ctx, *s.volume))
	}
	return errors.Join(errs...)
}
