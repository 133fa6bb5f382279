package gluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// hurt remembers what faults did that no later fault undid.
type hurt struct {
	mu  sync.Mutex
	all []wound
}

type wound struct {
	what string // peer, brick, link
	n    int
}

func (h *hurt) note(what string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := (wound{what, n}); !slices.Contains(h.all, w) {
		h.all = append(h.all, w)
	}
}

func (h *hurt) mended(what string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(w wound) bool { return w == wound{what, n} })
}

// mendedAll is for what is only mended together.
func (h *hurt) mendedAll(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(w wound) bool { return w.what == what })
}

func (h *hurt) take() []wound {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.all
	h.all = nil
	return all
}

// Mend undoes what faults left: links first, then peers, then bricks, so that
// each finds what it needs.
func (p *Pool) Mend(ctx context.Context) (done []string, err error) {
	left := p.hurt.take()
	order := []string{"link", "peer", "brick"}
	slices.SortFunc(left, func(a, b wound) int {
		return slices.Index(order, a.what)*1000 + a.n - slices.Index(order, b.what)*1000 - b.n
	})
	bricksDone := false
	for _, w := range left {
		if w.what == "brick" && bricksDone {
			continue // starting one started all
		}
		bricksDone = bricksDone || w.what == "brick"
		verb := "restart"
		if w.what == "link" {
			verb = "restore"
		}
		action := fmt.Sprintf("%s %s %d", verb, w.what, w.n)
		if err := p.Fault(ctx, action); err != nil {
			p.hurt.note(w.what, w.n)
			return done, fmt.Errorf("repair the pool: %s: %w", action, err)
		}
		done = append(done, action)
	}
	return done, p.whole(ctx)
}

// whole waits until every peer is connected and every brick serves; a peer
// that has just been started needs a moment for both.
func (p *Pool) whole(ctx context.Context) error {
	err := poll(ctx, 2*time.Minute, "the peers to be connected again", func() (bool, error) {
		out, err := p.gluster(ctx, "peer", "status")
		return err == nil && strings.Count(out, "(Connected)") == len(p.peers)-1, nil
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
