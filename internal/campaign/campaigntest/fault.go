package campaigntest

import (
	"context"
	"errors"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
)

// Events of the platform: "evict instance 0" and "evict instance 0 db" end servers, which may
// come back at once; "drain" ends all, and lasts until "undrain".
const (
	evict   = "evict"
	drain   = "drain"
	undrain = "undrain"
)

var (
	_ platform.EventKind = kind{}
	_ platform.Actor     = (*local)(nil)
)

func (kind) Events(any) event.Declaration {
	return event.Declaration{Of: "the fake platform", Verbs: []event.Verb{
		{Name: evict, Object: event.Object{Form: event.Servers, Kind: "instance"}, Breaks: true},
		{Name: drain, Breaks: true},
		{Name: undrain, Undoes: []string{drain}},
	}}
}

func (p *local) Victims(_ context.Context, e event.Event, running []platform.Server) (all []platform.Server, err error) {
	if err := p.w.call("Victims", e.Text); err != nil {
		return nil, err
	}
	for _, s := range running {
		if e.Verb.Name == drain || s.Member == e.Member && s.Instance == e.Number && (e.Role == "" || e.Role == s.Role) {
			all = append(all, s)
		}
	}
	if e.Verb.Name == evict && len(all) == 0 {
		return nil, errors.New("no such server runs")
	}
	return all, nil
}

// drained is the node that takes no servers.
var drained = journal.Object{Kind: "drained", Name: "node"}

func (p *local) Do(_ context.Context, e event.Event, victims []platform.Server) error {
	if err := p.w.call("Platform.Inject", e.Text); err != nil {
		return err
	}
	switch e.Verb.Name {
	case drain:
		if err := p.env.Journal.Making(drained); err != nil {
			return err
		}
		p.w.setDrained(true)
	case undrain:
		return p.undrain()
	}
	for _, v := range victims {
		v.Process.(*process).end(errors.New("it was evicted"))
	}
	return nil
}

func (p *local) undrain() error {
	p.w.setDrained(false)
	return p.env.Journal.Removed(drained)
}

func (w *World) setDrained(so bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.drained = so
}

func (w *World) isDrained() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.drained
}

func (p *local) Repair(context.Context) (done []string, err error) {
	if err := p.w.call("Platform.Repair", ""); err != nil {
		return nil, err
	}
	if !p.w.isDrained() {
		return nil, nil
	}
	return []string{"the node takes servers again"}, p.undrain()
}

func (p *local) Healthy(context.Context) (bool, error) {
	return !p.w.isDrained(), p.w.call("Platform.Healthy", "")
}
