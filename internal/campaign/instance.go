package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// instance is one application: its servers, each after those that it waits
// for, with their volumes.
type instance struct {
	t        *trial
	member   *member
	number   int
	name     string
	servers  []*server
	suspect  bool                // its audit failed
	node     string              // that it was on, of one that was set aside; empty where that is not known
	reserved map[string][]string // addresses of the servers of a role, in their order
}

func (m *member) newInstance(number int) (*instance, error) {
	i := &instance{t: m.t, member: m, number: number, name: m.prefixed(result.InstanceName(number))}
	for _, r := range m.roles {
		for n := range r.copies() {
			name := m.prefixed(fmt.Sprintf("%s-%03d", r.role.Name, number))
			if r.copies() > 1 {
				name = fmt.Sprintf("%s-%d", name, n)
			}
			s := &server{filledRole: r, i: i, name: name, slot: r.slotOf(n)}
			if n > 0 && r.shared() {
				s.first = i.servers[len(i.servers)-n]
			} else if err := s.hold(); err != nil {
				return nil, err
			}
			i.servers = append(i.servers, s)
		}
	}
	return i, nil
}

// each does something for all instances that work, at first so many at once, telling how far it
// is. The first error cancels the rest.
func (t *trial) each(ctx context.Context, what string, atOnce int, do func(*instance, context.Context) error) error {
	return t.eachOf(ctx, t.working(), what, atOnce, do)
}

// eachOf does so for some of them.
func (t *trial) eachOf(ctx context.Context, some []*instance, what string, atOnce int, do func(*instance, context.Context) error) error {
	progress := t.newBatch(what, len(some))
	return t.c.manyAtOnce(ctx, what, atOnce, len(some), func(ctx context.Context, n int) error {
		i := some[n]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := do(i, ctx); errors.As(err, new(tooManyError)) {
			return err // of several
		} else if err != nil {
			return i.member.blame(fmt.Errorf("%s: %w", i.name, err))
		}
		progress.did()
		return nil
	})
}

// telling reports whether it is worth showing that so many of all are done: a hundred times
// is often enough, as each time all instances are looked at.
func telling(done, of int) bool {
	const most = 100
	return done == of || done%max(1, of/most) == 0
}

// downAtOnce is how many instances are taken down at the same time, at first.
const downAtOnce = 16

// downAll takes every instance down, even if some of them fail. The error joins all failures,
// except for instances that were set aside: their machines may be gone, so their failures are
// only noted.
func (t *trial) downAll(ctx context.Context) error {
	errs := make([]error, len(t.instances))
	progress := t.newBatch("tear down", len(errs))
	_ = t.c.manyAtOnce(context.WithoutCancel(ctx), "tear down", downAtOnce, len(t.instances), func(_ context.Context, n int) error {
		i := t.instances[n]
		if err := i.down(ctx); err != nil {
			errs[n] = fmt.Errorf("%s: %w", i.name, err)
		}
		progress.did()
		return nil
	}) // errs has the errors
	for n, i := range t.instances {
		if errs[n] != nil && t.isGone(i) {
			t.note(fmt.Sprintf("what is left of an instance that was set aside could not be taken down, as plimsoll clean may: %v", errs[n]))
			errs[n] = nil
		}
	}
	return errors.Join(errs...)
}

// title names the instance in words.
func (i *instance) title() string {
	if of := i.member.variant.Member; of != "" {
		return fmt.Sprintf("instance %d of %s", i.number, of)
	}
	return fmt.Sprintf("instance %d", i.number)
}

// unique names the instance within the run.
func (i *instance) unique() string { return i.t.prefix() + i.name }

// volumes are those that are endpoints themselves, which users reach by path.
func (i *instance) volumes() (all []storage.Volume) {
	for _, s := range i.servers {
		all = append(all, s.by.shared(s)...)
	}
	return all
}

// volumeNames returns the names by which the platform or the storage class knows the instance's
// volumes.
func (i *instance) volumeNames() (all []string) {
	_ = i.eachHeld(func(_ *server, h *serverVolume) error { // which gives no error
		all = append(all, nameOf(*h.volume))
		return nil
	})
	return all
}

// eachServer does something for its servers, in the order of their start. The
// first error ends it.
func (i *instance) eachServer(do func(*server) error) error {
	for _, s := range i.servers {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// allHeld are its volumes, made or not.
func (i *instance) allHeld() (all []*serverVolume) {
	for _, s := range i.servers {
		all = append(all, s.ownVolumes...)
	}
	return all
}

// reserve reserves the addresses of all servers of a role before any of them starts.
func (i *instance) reserve(ctx context.Context, role string, of func(*server) app.Server) error {
	if _, done := i.reserved[role]; done {
		return nil
	}
	var all []string
	for _, s := range i.part(role).servers {
		at, err := i.t.c.platform.Address(ctx, of(s))
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, at)
	}
	if i.reserved == nil {
		i.reserved = map[string][]string{}
	}
	i.reserved[role] = all
	return nil
}

// eachHeld does something for each of its volumes that are made.
func (i *instance) eachHeld(do func(*server, *serverVolume) error) error {
	return i.eachServer(func(s *server) error {
		for _, h := range s.ownVolumes {
			if h.volume == nil {
				continue
			}
			if err := do(s, h); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachNeeded does so for those that are needed at one of some times.
func (i *instance) eachNeeded(when workload.Presence, do func(*server) error) error {
	return i.eachServer(func(s *server) error {
		if when.Load && s.need.Load || when.Drive && s.need.Drive || when.Audit && s.need.Audit {
			return do(s)
		}
		return nil
	})
}

// eachServerBack does something for all of its servers, the last started first.
func (i *instance) eachServerBack(do func(*server) error) error {
	var errs []error
	for _, s := range slices.Backward(i.servers) {
		errs = append(errs, do(s))
	}
	return errors.Join(errs...)
}

// clone gives it volumes with the data set.
func (i *instance) clone(ctx context.Context) error {
	return i.eachServer(func(s *server) error { return s.clone(ctx) })
}

func (i *instance) start(ctx context.Context) error {
	return i.eachNeeded(workload.WhileDriven, func(s *server) error { return s.start(ctx, true) })
}

// startUnlimited starts what the audit needs: its work is not measured.
func (i *instance) startUnlimited(ctx context.Context) error {
	return i.eachNeeded(workload.Presence{Audit: true}, func(s *server) error { return s.start(ctx, false) })
}

// stop ends its servers cleanly.
func (i *instance) stop(ctx context.Context) error {
	return i.eachServerBack(func(s *server) error { return s.stop(ctx) })
}

// part is the instance without the servers of other roles; all of it when role is
// empty.
func (i *instance) part(role string) *instance {
	if role == "" {
		return i
	}
	return i.with(func(s *server) bool { return s.role.Name == role })
}

// with is the instance without its other servers.
func (i *instance) with(has func(*server) bool) *instance {
	part := *i
	part.servers = slices.DeleteFunc(slices.Clone(i.servers), func(s *server) bool { return !has(s) })
	return &part
}

// away reports whether a fault ended a server of it that is not back.
func (i *instance) away() bool {
	return slices.ContainsFunc(i.servers, func(s *server) bool { return s.current() != nil && !s.runs() })
}

// restart kills its servers and starts them again on the same volumes.
func (i *instance) restart(ctx context.Context) error {
	i.expectEnd()
	if err := i.kill(ctx); err != nil {
		return err
	}
	return i.startAgain(ctx)
}

func (i *instance) expectEnd() {
	for _, s := range i.servers {
		s.expectEnd()
	}
}

func (i *instance) kill(context.Context) error { return i.eachServerBack((*server).kill) }

func (i *instance) startAgain(ctx context.Context) error {
	return i.eachServer(func(s *server) error { return s.startAgain(ctx) })
}

// target is how users reach the instance.
func (i *instance) target() workload.Target {
	return i.reached(workload.WhileDriven, (*server).endpoint)
}

// kept is how users reach what the audit asks.
func (i *instance) kept() workload.Target {
	return i.reached(workload.Presence{Audit: true}, (*server).endpoint)
}

// admin is how the administrator reaches what data are loaded into.
func (i *instance) admin() workload.Target {
	return i.reached(workload.Presence{Load: true}, (*server).admin)
}

func (i *instance) reached(when workload.Presence, by func(*server) endpoint.Endpoint) workload.Target {
	t := workload.Target{Instance: i.number, Foreign: unaudited(i.member.roles) != "", Users: i.member.load().Users}
	_ = i.eachNeeded(when, func(s *server) error { // which gives no error
		t.Endpoints = append(t.Endpoints, by(s))
		return nil
	})
	return t
}

// endpointsOf returns the endpoints of the servers of some roles that are running.
func (i *instance) endpointsOf(roles []string) (all []endpoint.Endpoint) {
	for _, s := range i.servers {
		if slices.Contains(roles, s.role.Name) && s.by.ready(s) {
			all = append(all, s.endpoint())
		}
	}
	return all
}

// down takes its servers down, the last started first, and gives back what was
// borrowed.
func (i *instance) down(ctx context.Context) error {
	return errors.Join(i.giveBack(ctx), i.eachServerBack(func(s *server) error { return s.down(ctx) }))
}
