package ceph

import (
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/study"
)

// verbs are the faults of a cluster: "kill peer 2", "cut power peer 2", "restart peer 2",
// "kill osd 1", "restart osd 1", "out osd 1", "in osd 1", "cut link 3", "restore link 3",
// "degrade link 1 100mbit". Peers are the nodes. They, with their links, and OSDs count
// from 1; OSDs over all nodes, in the order of Ceph's own numbers, which are one less.
func verbs() peers.Verbs {
	all := peers.Machine()
	all["osd"] = []string{"kill", "restart", "out", "in"}
	return all
}

func parseAction(text string) (peers.Action, error) {
	a, err := verbs().Parse(text)
	if peers.Unknown(err) {
		return a, fmt.Errorf("%q is not a fault of a Ceph cluster; supported: kill peer N, cut power, cut power peer N, restart peer N, kill osd N, restart osd N, out osd N, in osd N, cut link N, restore link N, degrade link N RATE", text)
	}
	return a, err
}

// errNoDisk is of a cluster whose OSDs keep their data on this machine's own disk.
var errNoDisk = errors.New("its OSDs keep their data in files of this machine, and only simulated disks can lose power; add `disk:` to the cluster")

// within checks that the cluster has the node or OSD.
func within(a peers.Action, p *Parameters) error {
	if a.Verb == study.CutPower && p.Disk == nil {
		return errNoDisk
	}
	most := p.Nodes
	if a.What == "osd" {
		most = p.all()
	}
	if a.Number < 1 || a.Number > most {
		return fmt.Errorf("%s %d does not exist; the cluster has 1 to %d", a.What, a.Number, most)
	}
	return nil
}

var (
	_ storage.FaultChecker = Kind{}
	_ storage.Faulter      = (*Pool)(nil)
)

// Effect implements storage.Faulter.
func (p *Pool) Effect(text string) storage.Effect {
	a, _ := parseAction(text)
	switch a.Verb {
	case "restart", "restore", "in":
		return storage.Effect{Repairs: true}
	case "kill":
		return storage.Effect{Note: storage.Crash}
	case "out":
		return storage.Effect{Note: "its data are copied to the others as long as there is an OSD that may have them; it serves until then"}
	}
	return storage.Effect{}
}

// CheckFault implements storage.FaultChecker.
func (Kind) CheckFault(parameters any, text string, before []string) error {
	p, ok := parameters.(*Parameters)
	if !ok {
		return fmt.Errorf("the parameters of a Ceph cluster are %T", parameters)
	}
	if p.Existing != nil {
		return errors.New("a run does no harm to an existing cluster, which others use: leave the faults out, or have a cluster of its own")
	}
	if text == study.CutPower { // of the whole cluster, which comes back as a whole
		if p.Disk == nil {
			return errNoDisk
		}
		return nil
	}
	a, err := parseAction(text)
	if err != nil {
		return err
	}
	if err := within(a, p); err != nil {
		return err
	}
	return checkAfter(a, earlierOf(before), p)
}

// earlierOf reads the actions that still matter.
func earlierOf(texts []string) (all []peers.Action) {
	for _, text := range texts {
		if text == study.CutPower { // after it every process is new
			all = slices.DeleteFunc(all, func(e peers.Action) bool { return e.What != "link" && e.Verb != "out" })
		}
		if a, err := parseAction(text); err == nil {
			all = append(all, a)
		}
	}
	return all
}

// checkAfter reports whether an action makes sense after the earlier ones: a daemon that is
// gone cannot be ended, and one that was never touched cannot be brought back.
func checkAfter(a peers.Action, earlier []peers.Action, p *Parameters) error {
	gone := p.gone(earlier, a.What, a.Number)
	out := peers.Last(earlier, func(e peers.Action) bool {
		return e.What == a.What && e.Number == a.Number && (e.Verb == "out" || e.Verb == "in")
	}).Verb == "out"
	touched := peers.Last(earlier, func(e peers.Action) bool { return e.What == a.What && e.Number == a.Number }) != peers.Action{}
	healthy := fmt.Errorf("%s %d is healthy at that point: no earlier fault affects it", a.What, a.Number)
	switch a.Verb {
	case "kill", study.CutPower:
		if gone {
			return fmt.Errorf("%s %d is already down at that point", a.What, a.Number)
		}
	case "out":
		if out {
			return fmt.Errorf("%s %d is already out at that point", a.What, a.Number)
		}
	case "in":
		if !out {
			return healthy
		}
	case "restore":
		if !touched {
			return healthy
		}
	case "restart":
		if !gone {
			return healthy
		}
		if a.What == "osd" && p.gone(earlier, "peer", p.nodeOf(a.Number)) {
			return fmt.Errorf("peer %d, which osd %d is on, is down at that point; restart it instead", p.nodeOf(a.Number), a.Number)
		}
	}
	return nil
}

// gone reports whether a node or OSD is away after the earlier actions. A node that is
// restarted starts its OSDs.
func (p *Parameters) gone(earlier []peers.Action, what string, n int) bool {
	last := peers.Last(earlier, func(e peers.Action) bool {
		of := e.What == what && e.Number == n || what == "osd" && e.What == "peer" && e.Number == p.nodeOf(n)
		return of && slices.Contains([]string{"kill", "restart", study.CutPower}, e.Verb)
	})
	return last.Verb == "kill" || last.Verb == study.CutPower
}
