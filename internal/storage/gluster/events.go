package gluster

import (
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/study"
)

var _ storage.EventKind = Kind{}

// Events implements storage.EventKind. Peers, with their links, and bricks, with their
// tiers, count from 1; bricks over all peers, in the order in which volumes use them. Bricks
// that no volume uses do not count: nothing serves them.
func (Kind) Events(parameters any) event.Declaration {
	p, _ := parameters.(*Parameters)
	if p == nil {
		p = &Parameters{}
	}
	bricks := 0
	if g, err := ParseGeometry(p.Geometry); err == nil {
		bricks = g.Bricks()
	}
	var noPower, noTier error
	if p.Disk == nil {
		noPower = errors.New("its bricks are directories, and only simulated disks can lose power; add `disk:` to the pool")
	}
	if p.Disk == nil || p.Disk.Tier == nil {
		noTier = errors.New("its bricks have no tier; add `disk:` with a `tier:` to the pool")
	}
	brick := event.Object{Form: event.Numbered, Kind: "brick", Last: bricks}
	tier := event.Object{Form: event.Numbered, Kind: "tier", Last: bricks}
	return event.Declaration{Of: "a Gluster pool", Order: p.order, Verbs: append(peers.Verbs(p.Peers, noPower),
		event.Verb{Name: "stop", Object: brick, Breaks: true, Text: "ends the process that serves a brick, until a brick is restarted"},
		event.Verb{Name: "restart", Object: brick, Undoes: []string{"stop"}, Text: "starts every brick that does not run"},
		event.Verb{Name: "lose", Object: tier, Breaks: true, Missing: noTier, Note: disk.LossNote(p.Disk), Text: "takes the tier of a brick's disk away, until it is restored"},
		event.Verb{Name: "restore", Object: tier, Undoes: []string{"lose"}, Missing: noTier, Text: "brings the tier of a brick's disk back"},
	)}
}

// peerOf is the number of the peer that has a brick, diskOf which of its disks the brick
// is, from 0: the bricks of a set are on different peers.
func (p *Parameters) peerOf(brick int) int { return (brick-1)%p.Peers + 1 }
func (p *Parameters) diskOf(brick int) int { return (brick - 1) / p.Peers }

// order reports whether an event makes sense after the earlier ones.
func (p *Parameters) order(e event.Event, earlier []event.Event) error {
	earlier = peers.Left(earlier, func(e event.Event) bool { return e.Verb.Object.Kind == "link" })
	if e.Verb.CutsPower && e.Part() == "" { // all peers come back
		return p.tiersThere(earlier, func(int) bool { return true })
	}
	return checkAfter(e, earlier, p)
}

// tiersThere is an error when the tier of one of some bricks is lost, which its
// disk needs to be mounted again.
func (p *Parameters) tiersThere(earlier []event.Event, of func(brick int) bool) error {
	for _, e := range earlier {
		if e.Verb.Object.Kind == "tier" && of(e.Number) && p.gone(earlier, "tier", e.Number) {
			return fmt.Errorf("tier %d is lost at that point; restore it before", e.Number)
		}
	}
	return nil
}

// checkAfter reports whether an action makes sense after the earlier ones: a daemon that is
// gone cannot be ended, and one that was never touched cannot be brought back.
func checkAfter(a event.Event, earlier []event.Event, p *Parameters) error {
	what := a.Verb.Object.Kind
	gone := p.gone(earlier, what, a.Number)
	touched := slices.ContainsFunc(earlier, a.SameObject)
	switch a.Verb.Name {
	case "kill", "stop", "lose", study.CutPower:
		if gone {
			return fmt.Errorf("%s is already down at that point", a.Part())
		}
	case "restart", "restore":
		if !touched || what != "brick" && what != "link" && !gone {
			return fmt.Errorf("%s is healthy at that point: no earlier fault affects it", a.Part())
		}
	}
	if what == "peer" && a.Verb.Name != "kill" {
		return p.tiersThere(earlier, func(brick int) bool { return p.peerOf(brick) == a.Number })
	}
	return nil
}

// gone reports whether a peer or brick is away after the earlier actions.
func (p *Parameters) gone(earlier []event.Event, what string, n int) bool {
	last := event.Last(earlier, func(e event.Event) bool {
		// To restart any brick starts all.
		return e.Verb.Object.Kind == what && (e.Number == n || what == "brick" && e.Verb.Name == "restart")
	})
	return slices.Contains([]string{"kill", "stop", "lose", study.CutPower}, last.Verb.Name) || what == "brick" && p.gone(earlier, "peer", p.peerOf(n))
}
