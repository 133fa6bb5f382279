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
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// server is one part of an instance, as its role is filled.
type server struct {
	filledRole
	i    *instance
	name string // db-007; worker-007-1 where an instance has several
	slot string // within its instance: db-0

	mu         sync.Mutex
	ownVolumes []*serverVolume
	first      *server // of its role, on whose volumes it lives; nil where it has its own
	process    platform.Process
	killed     []platform.Process // by faults of the study
}

// unique names it within the run, so that a volume or process of a trial is
// never taken for one of another.
func (s *server) unique() string { return s.i.t.prefix() + s.name }

// clone gives it volumes with its part of the data set.
func (s *server) clone(ctx context.Context) error {
	return s.make(ctx, func(ctx context.Context, h *serverVolume) (storage.Volume, error) {
		v, err := h.storage.Clone(ctx, s.i.member.golden.volumeKey(h.slot), h.claim())
		if err != nil {
			err = fmt.Errorf("%s: clone its volume: %w", s.name, err)
		}
		return v, err
	})
}

// provision gives it empty volumes.
func (s *server) provision(ctx context.Context) error {
	return s.make(ctx, func(ctx context.Context, h *serverVolume) (storage.Volume, error) {
		v, err := h.storage.Provision(ctx, h.claim())
		if err != nil {
			err = fmt.Errorf("%s: make its volume: %w", s.name, err)
		}
		return v, err
	})
}

// lay lays out what the server needs on its volumes, which are empty, and starts it
// where data are to be loaded by it: those after it ask where it is.
func (s *server) lay(ctx context.Context) error {
	if len(s.ownVolumes) > 0 {
		if err := s.by.initialise(ctx, s); err != nil {
			return err
		}
	}
	if !s.need.Load {
		return nil
	}
	return s.start(ctx, false)
}

// config is what the server is like.
func (s *server) config() app.Config {
	c := s.i.member.golden.config(s.filledRole, s.i.member.roles, s.i.member.variant, s.unique())
	c.Peers = s.i.endpointsOf(s.role.After)
	c.Siblings, c.Self = s.i.reserved[s.role.Name], slices.Index(s.i.part(s.role.Name).servers, s)
	for _, h := range s.mounted() {
		if h.volume != nil {
			c.Mounts = append(c.Mounts, s.named(h.volume.Endpoint(), h.Name))
		}
	}
	return c
}

// start starts the server, if there is one to start, and waits until it answers.
// limited leaves its limits on.
func (s *server) start(ctx context.Context, limited bool) error { return s.by.start(ctx, s, limited) }

// home returns the server's first volume. A server without volumes runs on the node of its
// instance's other servers.
func (s *server) home() (v storage.Volume) {
	if own := s.volumes(); len(own) > 0 {
		return own[0]
	}
	for _, other := range s.i.servers {
		for _, of := range other.volumes() {
			v.Cgroups = of.Cgroups
		}
	}
	return v
}

// others returns all its volumes except the first.
func (s *server) others() (all []platform.Mounted) {
	on := s.mounted()
	for _, h := range on[min(1, len(on)):] {
		all = append(all, platform.Mounted{Mount: h.Name, Volume: *h.volume})
	}
	return all
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

// expectEnd says in advance that a fault of the study is about to end the server, so that its
// end is no failure.
func (s *server) expectEnd() {
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

// reportEnd reports that the server ended without being asked to.
func (s *server) reportEnd(p platform.Process, stop <-chan struct{}) {
	select {
	case <-stop:
	case <-p.Done():
		at := time.Now()
		if err := p.Err(); err != nil && !s.wasKilled(p) {
			s.i.t.ended <- ending{s.i, timedError{at, s.i.member.blame(fmt.Errorf("server %s ended at %s, %.1f s after the start: %w",
				s.name, at.Format(time.TimeOnly), at.Sub(s.i.t.result.Start).Seconds(), err))}}
		}
	}
}

// wasKilled reports whether a fault of the study ended the server.
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

// runs reports whether it was started and has not ended.
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
func (s *server) endpoint() endpoint.Endpoint { return s.named(s.by.endpoint(s), s.role.Name) }

// admin is how the administrator reaches it.
func (s *server) admin() endpoint.Endpoint {
	return s.named(s.by.admin(s, s.by.endpoint(s)), s.role.Name)
}

// watched describes it to the platform that watches it; ok is false if there is nothing to watch.
func (s *server) watched() (w platform.WatchedInstance, ok bool) {
	can := app.CapabilitiesOf(s.engine)
	w = platform.WatchedInstance{Name: s.name, Meter: can.Meter}
	if can.Sessions != nil && s.by.ready(s) {
		w.Sessions = func(ctx context.Context, e endpoint.Endpoint) (app.Sessions, error) {
			if w.Process == nil {
				e = s.endpoint()
			}
			return can.Sessions(ctx, s.by.admin(s, e))
		}
	}
	if p := s.current(); p != nil {
		w.Process = p
		return w, true
	}
	return w, w.Sessions != nil
}

// named returns an endpoint with its role and kind set.
func (s *server) named(e endpoint.Endpoint, role string) endpoint.Endpoint {
	e.Role, e.Kind = role, cmp.Or(e.Kind, s.kind)
	return e
}

// down stops the server, keeps its log and deletes its volume.
func (s *server) down(ctx context.Context) error {
	var errs []error
	if p := s.current(); p != nil {
		errs = append(errs, p.Stop(ctx), keepLog(ctx, p.Log, filepath.Join(s.i.t.files.Logs(), s.name+".log")))
	}
	if s.i.t.powerCuts > 0 { // they go with the storage class
		return errors.Join(errs...)
	}
	for _, h := range s.ownVolumes {
		if h.volume != nil {
			errs = append(errs, h.storage.Delete(ctx, *h.volume))
		}
	}
	return errors.Join(errs...)
}
