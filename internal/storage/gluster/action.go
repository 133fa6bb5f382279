package gluster

import (
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/study"
)

// verbs are the faults of a pool: "kill peer 2", "cut power peer 2", "restart peer 2",
// "stop brick 1", "restart brick 1", "lose tier 1", "restore tier 1", "cut link 3",
// "restore link 3", "degrade link 1 100mbit". Peers, with their links, and bricks, with
// their tiers, count from 1; bricks over all peers, in the order in which volumes use them.
func verbs() peers.Verbs {
	all := peers.Machine()
	all["brick"] = []string{"stop", "restart"}
	all["tier"] = []string{"lose", "restore"}
	return all
}

func parseAction(text string) (peers.Action, error) {
	a, err := verbs().Parse(text)
	if peers.Unknown(err) {
		return a, fmt.Errorf("%q is not a fault of a Gluster pool; supported: kill peer N, cut power, cut power peer N, restart peer N, stop brick N, restart brick N, lose tier N (of a brick), restore tier N, cut link N, restore link N, degrade link N RATE", text)
	}
	return a, err
}

// errNoDisk refuses a power cut of bricks that are on this machine's own disk.
var errNoDisk = errors.New("its bricks are directories, and only simulated disks can lose power; add `disk:` to the pool")

// within checks that the pool has the peer or brick. Bricks that no volume uses do not
// count: nothing serves them.
func within(a peers.Action, p *Parameters) error {
	if a.Verb == study.CutPower && p.Disk == nil {
		return errNoDisk
	}
	if a.What == "tier" && (p.Disk == nil || p.Disk.Tier == nil) {
		return errors.New("its bricks have no tier; add `disk:` with a `tier:` to the pool")
	}
	most := p.Peers
	if a.What == "brick" || a.What == "tier" {
		g, err := ParseGeometry(p.Geometry)
		if err != nil {
			return err
		}
		most = g.Bricks()
	}
	if a.Number < 1 || a.Number > most {
		return fmt.Errorf("%s %d does not exist; the pool has 1 to %d", a.What, a.Number, most)
	}
	return nil
}

// peerOf is the number of the peer that has a brick, diskOf which of its disks the brick
// is, from 0: the bricks of a set are on different peers.
func (p *Parameters) peerOf(brick int) int { return (brick-1)%p.Peers + 1 }
func (p *Parameters) diskOf(brick int) int { return (brick - 1) / p.Peers }

// Effect implements storage.Faulter.
func (p *Pool) Effect(text string) storage.Effect {
	a, _ := parseAction(text)
	switch a.Verb {
	case "restart", "restore":
		return storage.Effect{Repairs: true}
	case "kill":
		return storage.Effect{Note: storage.Crash}
	case "lose":
		return p.brick(a.Number).Class.(storage.Faulter).Effect(disk.LoseTier)
	}
	return storage.Effect{}
}

var _ storage.FaultChecker = Kind{}

// CheckFault implements storage.FaultChecker.
func (Kind) CheckFault(parameters any, text string, before []string) error {
	p, ok := parameters.(*Parameters)
	if !ok {
		return fmt.Errorf("the parameters of a Gluster pool are %T", parameters)
	}
	earlier := allOf(before)
	if text == study.CutPower { // of the whole pool, whose peers all come back
		if p.Disk == nil {
			return errNoDisk
		}
		return p.tiersThere(earlier, func(int) bool { return true })
	}
	a, err := parseAction(text)
	if err != nil {
		return err
	}
	if err := within(a, p); err != nil {
		return err
	}
	return checkAfter(a, earlier, p)
}

// allOf reads the actions that still matter.
func allOf(texts []string) (all []peers.Action) {
	for _, text := range texts {
		if text == study.CutPower { // after it everything but the links is new
			all = slices.DeleteFunc(all, func(e peers.Action) bool { return e.What != "link" })
		}
		if a, err := parseAction(text); err == nil {
			all = append(all, a)
		}
	}
	return all
}

// tiersThere is an error when the tier of one of some bricks is lost, which its
// disk needs to be mounted again.
func (p *Parameters) tiersThere(earlier []peers.Action, of func(brick int) bool) error {
	for _, e := range earlier {
		if e.What == "tier" && of(e.Number) && p.gone(earlier, "tier", e.Number) {
			return fmt.Errorf("tier %d is lost at that point; restore it before", e.Number)
		}
	}
	return nil
}

// checkAfter reports whether an action makes sense after the earlier ones: a daemon that is
// gone cannot be ended, and one that was never touched cannot be brought back.
func checkAfter(a peers.Action, earlier []peers.Action, p *Parameters) error {
	gone := p.gone(earlier, a.What, a.Number)
	touched := peers.Last(earlier, func(e peers.Action) bool { return e.What == a.What && e.Number == a.Number }) != peers.Action{}
	switch a.Verb {
	case "kill", "stop", "lose", study.CutPower:
		if gone {
			return fmt.Errorf("%s %d is already down at that point", a.What, a.Number)
		}
	case "restart", "restore":
		if !touched || a.What != "brick" && a.What != "link" && !gone {
			return fmt.Errorf("%s %d is healthy at that point: no earlier fault affects it", a.What, a.Number)
		}
	}
	if a.What == "peer" && a.Verb != "kill" {
		return p.tiersThere(earlier, func(brick int) bool { return p.peerOf(brick) == a.Number })
	}
	return nil
}

// gone reports whether a peer or brick is away after the earlier actions.
func (p *Parameters) gone(earlier []peers.Action, what string, n int) bool {
	last := peers.Last(earlier, func(e peers.Action) bool {
		// To restart any brick starts all.
		return e.What == what && (e.Number == n || what == "brick" && e.Verb == "restart")
	})
	return slices.Contains([]string{"kill", "stop", "lose", study.CutPower}, last.Verb) || what == "brick" && p.gone(earlier, "peer", p.peerOf(n))
}
