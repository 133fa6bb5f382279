package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Instance is one instance of an application: its servers, each after those that it waits
// for, with their volumes.
type Instance struct {
	App      *Application
	Number   int
	Name     string
	Servers  []*Server
	reserved map[string][]string // addresses of the servers of a role, in their order
}

// New describes an instance; nothing is made yet.
func (a *Application) New(number int) (*Instance, error) {
	i := &Instance{App: a, Number: number, Name: a.Named(result.InstanceName(number))}
	for _, r := range a.Roles {
		for n := range r.Copies() {
			name := a.Named(fmt.Sprintf("%s-%03d", r.Name, number))
			if r.Copies() > 1 {
				name = fmt.Sprintf("%s-%d", name, n)
			}
			s := &Server{Role: r, i: i, Name: name, slot: r.Slot(n), by: fillerOf(r)}
			if n > 0 && r.SharesVolumes() {
				s.first = i.Servers[len(i.Servers)-n]
			} else if err := s.hold(); err != nil {
				return nil, err
			}
			i.Servers = append(i.Servers, s)
		}
	}
	return i, nil
}

// Title names the instance in words.
func (i *Instance) Title() string {
	if of := i.App.Variant.Member; of != "" {
		return fmt.Sprintf("instance %d of %s", i.Number, of)
	}
	return fmt.Sprintf("instance %d", i.Number)
}

// unique names the instance within the run.
func (i *Instance) unique() string { return i.App.Prefix + i.Name }

// Volumes are those that are endpoints themselves, which users reach by path.
func (i *Instance) Volumes() (all []storage.Volume) {
	for _, s := range i.Servers {
		all = append(all, s.by.shared(s)...)
	}
	return all
}

// VolumeNames returns the names by which the platform or the storage class knows the instance's
// volumes.
func (i *Instance) VolumeNames() (all []string) {
	_ = i.EachVolume(func(_ *Server, h *Volume) error { // which gives no error
		all = append(all, nameOf(*h.Made))
		return nil
	})
	return all
}

// EachServer does something for its servers, in the order of their start. The
// first error ends it.
func (i *Instance) EachServer(do func(*Server) error) error {
	for _, s := range i.Servers {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// allHeld are its volumes, made or not.
func (i *Instance) allHeld() (all []*Volume) {
	for _, s := range i.Servers {
		all = append(all, s.ownVolumes...)
	}
	return all
}

// reserve reserves the addresses of all servers of a role before any of them starts.
func (i *Instance) reserve(ctx context.Context, role string, of func(*Server) app.Server) error {
	if _, done := i.reserved[role]; done {
		return nil
	}
	var all []string
	for _, s := range i.Part(role).Servers {
		at, err := i.App.Platform.Address(ctx, of(s))
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		all = append(all, at)
	}
	if i.reserved == nil {
		i.reserved = map[string][]string{}
	}
	i.reserved[role] = all
	return nil
}

// EachVolume does something for each of its volumes that are made.
func (i *Instance) EachVolume(do func(*Server, *Volume) error) error {
	return i.EachServer(func(s *Server) error {
		for _, h := range s.ownVolumes {
			if h.Made == nil {
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
func (i *Instance) eachNeeded(when workload.Presence, do func(*Server) error) error {
	return i.EachServer(func(s *Server) error {
		if when.Load && s.Need.Load || when.Drive && s.Need.Drive || when.Audit && s.Need.Audit {
			return do(s)
		}
		return nil
	})
}

// eachServerBack does something for all of its servers, the last started first.
func (i *Instance) eachServerBack(do func(*Server) error) error {
	var errs []error
	for _, s := range slices.Backward(i.Servers) {
		errs = append(errs, do(s))
	}
	return errors.Join(errs...)
}

// Clone gives it volumes with the data set.
func (i *Instance) Clone(ctx context.Context) error {
	return i.EachServer(func(s *Server) error { return s.Clone(ctx) })
}

// Start starts what users need.
func (i *Instance) Start(ctx context.Context) error {
	return i.eachNeeded(workload.WhileDriven, func(s *Server) error { return s.start(ctx, true) })
}

// startUnlimited starts what the audit needs: its work is not measured.
func (i *Instance) startUnlimited(ctx context.Context) error {
	return i.eachNeeded(workload.Presence{Audit: true}, func(s *Server) error { return s.start(ctx, false) })
}

// Stop ends its servers cleanly.
func (i *Instance) Stop(ctx context.Context) error {
	return i.eachServerBack(func(s *Server) error { return s.stop(ctx) })
}

// Part is the instance without the servers of other roles; all of it when role is
// empty.
func (i *Instance) Part(role string) *Instance {
	if role == "" {
		return i
	}
	return i.With(func(s *Server) bool { return s.Role.Name == role })
}

// With is the instance without its other servers.
func (i *Instance) With(has func(*Server) bool) *Instance {
	part := *i
	part.Servers = slices.DeleteFunc(slices.Clone(i.Servers), func(s *Server) bool { return !has(s) })
	return &part
}

// Away reports whether a fault ended a server of it that is not back.
func (i *Instance) Away() bool {
	return slices.ContainsFunc(i.Servers, func(s *Server) bool { return s.Current() != nil && !s.Runs() })
}

// ExpectEnd says in advance that a fault of the study is about to end its servers.
func (i *Instance) ExpectEnd() {
	for _, s := range i.Servers {
		s.ExpectEnd()
	}
}

// Kill ends its servers at once, the last started first.
func (i *Instance) Kill(context.Context) error { return i.eachServerBack((*Server).Kill) }

// Target is how users reach the instance.
func (i *Instance) Target() workload.Target {
	return i.reached(workload.WhileDriven, (*Server).Endpoint)
}

// Kept is how users reach what the audit asks.
func (i *Instance) Kept() workload.Target {
	return i.reached(workload.Presence{Audit: true}, (*Server).Endpoint)
}

// Admin is how the administrator reaches what data are loaded into.
func (i *Instance) Admin() workload.Target {
	return i.reached(workload.Presence{Load: true}, (*Server).Admin)
}

func (i *Instance) reached(when workload.Presence, by func(*Server) endpoint.Endpoint) workload.Target {
	t := workload.Target{Instance: i.Number, Foreign: facts.Unaudited(i.App.Roles) != "", Users: i.App.Users}
	_ = i.eachNeeded(when, func(s *Server) error { // which gives no error
		t.Endpoints = append(t.Endpoints, by(s))
		return nil
	})
	return t
}

// endpointsOf returns the endpoints of the servers of some roles that are running.
func (i *Instance) endpointsOf(roles []string) (all []endpoint.Endpoint) {
	for _, s := range i.Servers {
		if slices.Contains(roles, s.Role.Name) && s.by.ready(s) {
			all = append(all, s.Endpoint())
		}
	}
	return all
}

// Down takes its servers down, the last started first, and gives back what was
// borrowed. Their logs are kept in a directory; so are their volumes on their storage, where these
// go with the storage class.
func (i *Instance) Down(ctx context.Context, logs string, keepVolumes bool) error {
	return errors.Join(i.giveBack(ctx), i.eachServerBack(func(s *Server) error { return s.down(ctx, logs, keepVolumes) }))
}

// Ready reports whether what users reach of the instance is there: its
// servers run and its volumes are made.
func (i *Instance) Ready() bool {
	return !slices.ContainsFunc(i.Servers, func(s *Server) bool { return !s.Ready() })
}
