package campaigntest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Faults of the platform: "evict 0" and "evict 0 db" end servers, which may come back
// at once; "drain" ends all, and lasts until "undrain".
const (
	evict   = "evict"
	drain   = "drain"
	undrain = "undrain"
)

var (
	_ platform.FaultChecker = kind{}
	_ platform.Faulter      = (*local)(nil)
)

func (kind) ParseFault(action string) study.Action {
	verb, rest, _ := strings.Cut(action, " ")
	switch verb {
	case drain, undrain:
		return study.Action{Verb: verb, Part: "the node"}
	case evict:
		number, role, _ := study.ParseInstance(rest) // CheckFault tells
		return study.Action{Verb: verb, Instance: number, Role: role}
	}
	return study.Action{}
}

func (k kind) CheckFault(_ any, action string, _ []string) error {
	if k.ParseFault(action).Verb == "" {
		return fmt.Errorf("unknown fault %q", action)
	}
	return nil
}

func (p *local) Effect(action string) storage.Effect {
	return storage.Effect{Repairs: action == undrain}
}

func (p *local) Victims(_ context.Context, action string, running []platform.Server) (all []platform.Server, err error) {
	if err := p.w.call("Victims", action); err != nil {
		return nil, err
	}
	a := kind{p.w}.ParseFault(action)
	for _, s := range running {
		if a.Verb == drain || s.Instance == a.Instance && (a.Role == "" || a.Role == s.Role) {
			all = append(all, s)
		}
	}
	if a.Verb == evict && len(all) == 0 {
		return nil, errors.New("no such server runs")
	}
	return all, nil
}

// drained is the node that takes no servers.
var drained = journal.Object{Kind: "drained", Name: "node"}

func (p *local) Inject(_ context.Context, action string, victims []platform.Server) error {
	if err := p.w.call("Platform.Inject", action); err != nil {
		return err
	}
	switch action {
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
