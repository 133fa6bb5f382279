package gluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// faults remembers what faults did that no later fault undid.
type faults struct {
	mu  sync.Mutex
	all []broken
}

type broken struct {
	what string // peer, brick, tier, link
	n    int
}

func (f *faults) note(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := (broken{what, n}); !slices.Contains(f.all, b) {
		f.all = append(f.all, b)
	}
}

func (f *faults) repaired(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(b broken) bool { return b == broken{what, n} })
}

// repairedAll is for what is only repaired together.
func (f *faults) repairedAll(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(b broken) bool { return b.what == what })
}

func (f *faults) take() []broken {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	f.all = nil
	return all
}

// Repair undoes what faults left: links first, then peers, then tiers, then bricks,
// so that each finds what it needs.
func (p *Pool) Repair(ctx context.Context) (done []string, err error) {
	left := p.faults.take()
	order := []string{"link", "peer", "tier", "brick"}
	slices.SortFunc(left, func(a, b broken) int {
		return slices.Index(order, a.what)*1000 + a.n - slices.Index(order, b.what)*1000 - b.n
	})
	bricksDone := false
	for _, b := range left {
		if b.what == "brick" && bricksDone {
			continue // starting one started all
		}
		bricksDone = bricksDone || b.what == "brick"
		verb := "restart"
		if b.what == "link" || b.what == "tier" {
			verb = "restore"
		}
		action := fmt.Sprintf("%s %s %d", verb, b.what, b.n)
		if err := p.Inject(ctx, action); err != nil {
			p.faults.note(b.what, b.n)
			return done, fmt.Errorf("repair the pool: %s: %w", action, err)
		}
		done = append(done, action)
	}
	return done, p.awaitHealthy(ctx)
}

// awaitHealthy waits until every peer is connected and every brick serves; a peer
// that has just been started needs a moment for both.
func (p *Pool) awaitHealthy(ctx context.Context) error {
	err := poll(ctx, 2*time.Minute, "the peers to be connected again", func() (bool, error) {
		return p.connected(ctx), nil
	})
	if err != nil {
		return err
	}
	for _, v := range p.all() {
		if v.isOnline(ctx) {
			continue
		}
		if _, err := p.gluster(ctx, "volume", "start", v.name, "force"); err != nil {
			return err
		}
		if err := v.online(ctx); err != nil {
			return err
		}
	}
	return nil
}
