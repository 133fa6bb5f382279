package gluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plimsoll/internal/storage/peers"
)

// Repair undoes the faults that are left: links first, then peers, then tiers, then bricks,
// since each depends on the one before.
func (p *Pool) Repair(ctx context.Context) (done []string, err error) {
	left := p.faults.Take()
	order := []string{"link", "peer", "tier", "brick"}
	slices.SortFunc(left, func(a, b peers.Breakage) int {
		return slices.Index(order, a.What)*1000 + a.Number - slices.Index(order, b.What)*1000 - b.Number
	})
	bricksDone := false
	for _, b := range left {
		if b.What == "brick" && bricksDone {
			continue // starting one started all
		}
		bricksDone = bricksDone || b.What == "brick"
		verb := "restart"
		if b.What == "link" || b.What == "tier" {
			verb = "restore"
		}
		words := verb + " " + b.What
		if err := p.do(ctx, words, b.Number, ""); err != nil {
			p.faults.Note(b.What, b.Number)
			return done, fmt.Errorf("repair the pool: %s %d: %w", words, b.Number, err)
		}
		done = append(done, fmt.Sprintf("%s %d", words, b.Number))
	}
	return done, p.awaitHealthy(ctx)
}

// awaitHealthy waits until every peer is connected and every brick serves; a peer
// that has just been started needs a moment for both.
func (p *Pool) awaitHealthy(ctx context.Context) error {
	err := peers.Poll(ctx, 2*time.Minute, "the peers to be connected again", func() (bool, error) {
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
