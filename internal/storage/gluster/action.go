package gluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/simnet"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/study"
)

// action is a fault as a study writes it: "kill peer 2", "cut power peer 2",
// "restart peer 2", "stop brick 1", "restart brick 1", "lose tier 1", "restore tier
// 1", "cut link 3", "restore link 3", "degrade link 1 100mbit". Peers, with their links,
// and bricks, with their tiers, count from 1; bricks over all peers, in the order in which
// volumes use them.
type action struct {
	verb, what string
	n          int
	rate       uint64 // bits per second, of "degrade link"
}

var verbs = map[string][]string{
	"peer":  {"kill", study.CutPower, "restart"},
	"brick": {"stop", "restart"},
	"tier":  {"lose", "restore"},
	"link":  {"cut", "restore", "degrade"},
}

func parseAction(text string) (action, error) {
	unknown := fmt.Errorf("%q is not a fault of a Gluster pool; supported: kill peer N, cut power, cut power peer N, restart peer N, stop brick N, restart brick N, lose tier N (of a brick), restore tier N, cut link N, restore link N, degrade link N RATE", text)
	words := strings.Fields(text)
	if rest, ok := strings.CutPrefix(text, study.CutPower+" "); ok {
		words = append([]string{study.CutPower}, strings.Fields(rest)...)
	}
	if len(words) < 3 || !slices.Contains(verbs[words[1]], words[0]) {
		return action{}, unknown
	}
	n, err := strconv.Atoi(words[2])
	if err != nil {
		return action{}, unknown
	}
	a := action{verb: words[0], what: words[1], n: n}
	switch rest := words[3:]; {
	case a.verb == "degrade" && len(rest) != 1:
		return action{}, fmt.Errorf("%q has no rate: write degrade link %d 100mbit", text, n)
	case a.verb == "degrade":
		a.rate, err = simnet.ParseRate(rest[0])
	case len(rest) > 0:
		err = unknown
	}
	return a, err
}

// errNoDisk is of a pool whose bricks lie on this machine's own disk.
var errNoDisk = errors.New("its bricks are directories, and only simulated disks can lose power; add `disk:` to the pool")

// within says whether the pool has the peer or brick. Bricks that no volume
// uses do not count: nothing serves them.
func (a action) within(p *Parameters) error {
	if a.verb == study.CutPower && p.Disk == nil {
		return errNoDisk
	}
	if a.what == "tier" && (p.Disk == nil || p.Disk.Tier == nil) {
		return errors.New("its bricks have no tier; add `disk:` with a `tier:` to the pool")
	}
	most := p.Peers
	if a.what == "brick" || a.what == "tier" {
		g, err := ParseGeometry(p.Geometry)
		if err != nil {
			return err
		}
		most = g.Bricks()
	}
	if a.n < 1 || a.n > most {
		return fmt.Errorf("%s %d does not exist; the pool has 1 to %d", a.what, a.n, most)
	}
	return nil
}

// peerOf is the number of the peer that has a brick.
func (p *Parameters) peerOf(brick int) int { return (brick-1)%p.Peers + 1 }

// Effect implements storage.Faulter.
func (p *Pool) Effect(text string) storage.Effect {
	a, _ := parseAction(text)
	switch a.verb {
	case "restart", "restore":
		return storage.Effect{Repairs: true}
	case "kill":
		return storage.Effect{Note: storage.Crash}
	case "lose":
		return p.brick(a.n).class.(storage.Faulter).Effect(disk.LoseTier)
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
	if err := a.within(p); err != nil {
		return err
	}
	return a.after(earlier, p)
}

// allOf reads the actions that still matter.
func allOf(texts []string) (all []action) {
	for _, text := range texts {
		if text == study.CutPower { // after it everything but the links is new
			all = slices.DeleteFunc(all, func(e action) bool { return e.what != "link" })
		}
		if a, err := parseAction(text); err == nil {
			all = append(all, a)
		}
	}
	return all
}

// tiersThere is an error when the tier of one of some bricks is lost, which its
// disk needs to be mounted again.
func (p *Parameters) tiersThere(earlier []action, of func(brick int) bool) error {
	for _, e := range earlier {
		if e.what == "tier" && of(e.n) && p.gone(earlier, "tier", e.n) {
			return fmt.Errorf("tier %d is lost at that point; restore it before", e.n)
		}
	}
	return nil
}

// after says whether an action makes sense after the earlier ones: what is gone
// cannot be ended, and what was never touched cannot be brought back.
func (a action) after(earlier []action, p *Parameters) error {
	gone := p.gone(earlier, a.what, a.n)
	touched := lastOf(earlier, func(e action) bool { return e.what == a.what && e.n == a.n }) != action{}
	switch a.verb {
	case "kill", "stop", "lose", study.CutPower:
		if gone {
			return fmt.Errorf("%s %d is already down at that point", a.what, a.n)
		}
	case "restart", "restore":
		if !touched || a.what != "brick" && a.what != "link" && !gone {
			return fmt.Errorf("%s %d is healthy at that point: no earlier fault affects it", a.what, a.n)
		}
	}
	if a.what == "peer" && a.verb != "kill" {
		return p.tiersThere(earlier, func(brick int) bool { return p.peerOf(brick) == a.n })
	}
	return nil
}

// gone says whether a peer or brick is away after the earlier actions.
func (p *Parameters) gone(earlier []action, what string, n int) bool {
	last := lastOf(earlier, func(e action) bool {
		// To restart any brick starts all.
		return e.what == what && (e.n == n || what == "brick" && e.verb == "restart")
	})
	return slices.Contains([]string{"kill", "stop", "lose", study.CutPower}, last.verb) || what == "brick" && p.gone(earlier, "peer", p.peerOf(n))
}

// lastOf is the last action that fits, or none.
func lastOf(all []action, fits func(action) bool) action {
	for _, a := range slices.Backward(all) {
		if fits(a) {
			return a
		}
	}
	return action{}
}
