package campaigntest

import (
	"context"
	"fmt"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
)

// placeTime is how long it takes until there is a place for a task, as on a
// cluster.
const placeTime = 20 * time.Second

// place is one that no task has taken.
type place struct {
	p    *local
	name string
}

func (p *local) Reserve(ctx context.Context, tasks []platform.Task) (release func(context.Context) error, err error) {
	if err := p.w.call("Reserve", ""); err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if err := p.add(place{p, t.Name}); err != nil {
			return nil, err
		}
	}
	release = func(context.Context) error {
		if err := p.w.call("Release", ""); err != nil {
			return err
		}
		for _, t := range tasks {
			place{p, t.Name}.end(nil)
		}
		return nil
	}
	if err := sleep(ctx, placeTime); err != nil {
		return nil, fmt.Errorf("%w; %w", err, release(ctx))
	}
	return release, nil
}

func (p *local) add(place place) error {
	if err := p.env.Journal.Making(place.object()); err != nil {
		return err
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.w.state.processes[place.name] != "" {
		return fmt.Errorf("a task %s is there already", place.name)
	}
	p.w.state.processes[place.name] = "place"
	p.w.live.add(place.name, place)
	return nil
}

// reserved reports whether there is a place for a task.
func (p *local) reserved(name string) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.w.state.processes[name] == "place"
}

func (r place) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: r.name}
}

func (r place) end(error) {
	if !r.p.reserved(r.name) {
		return
	}
	r.p.w.live.forget(r.name)
	r.p.w.mu.Lock()
	delete(r.p.w.state.processes, r.name)
	r.p.w.mu.Unlock()
	_ = r.p.env.Journal.Removed(r.object()) // else it is looked for in vain
}

func (place) exit() {}
