package ceph

import (
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/describe/event"
	"plimsoll/internal/storage/peers"
	"plimsoll/internal/study"
)

// errOthers is of a cluster that others use, too.
var errOthers = errors.New("a run does no harm to an existing cluster, which others use: leave the faults out, or have a cluster of its own")

// Events declares what can be done to a cluster. Peers are the nodes. They, with their links,
// and OSDs count from 1; OSDs over all nodes, in the order of Ceph's own numbers, which are one
// less.
func (Kind) Events(parameters any) event.Declaration {
	p, _ := parameters.(*Parameters)
	if p == nil {
		p = &Parameters{}
	}
	var noPower error
	if p.Disk == nil {
		noPower = errors.New("its OSDs keep their data in files of this machine, and only simulated disks can lose power; add `disk:` to the cluster")
	}
	var noImages error
	if p.Access == accessCephFS || p.Access == accessRGW {
		noImages = fmt.Errorf("its volumes are no images: only access %s and %s have snapshots", accessRBD, accessDevice)
	}
	osd := event.Object{Form: event.Numbered, Kind: "osd", Last: p.all()}
	verbs := append(peers.Verbs(p.Nodes, noPower),
		event.Verb{Name: "kill", Object: osd, Breaks: true, Note: event.Crash, Text: "kills an OSD, until it is restarted"},
		event.Verb{Name: "restart", Object: osd, Undoes: []string{"kill"}, Text: "starts an OSD again"},
		event.Verb{Name: "out", Object: osd, Breaks: true, Note: "its data are copied to the others as long as there is an OSD that may have them; it serves until then", Text: "takes an OSD out of the cluster, until it is in again"},
		event.Verb{Name: "snapshot", Object: event.Object{Form: event.Servers, Kind: "instance"}, Missing: noImages, Text: "takes a snapshot of the images of an instance; until the volume is removed, the first write to each object copies it"},
		event.Verb{Name: "in", Object: osd, Undoes: []string{"out"}, Text: "takes an OSD into the cluster again"},
	)
	if p.Existing != nil {
		for i := range verbs {
			verbs[i].Missing = errOthers
		}
	}
	return event.Declaration{Of: "a Ceph cluster", Verbs: verbs, Order: p.order}
}

// order reports whether an event makes sense after the earlier ones. After a power cut of
// the whole cluster every process is new.
func (p *Parameters) order(e event.Event, earlier []event.Event) error {
	earlier = peers.Left(earlier, func(e event.Event) bool { return e.Verb.Object.Kind == "link" || e.Verb.Name == "out" })
	if e.Verb.CutsPower && e.Part() == "" {
		return nil
	}
	return checkAfter(e, earlier, p)
}

// checkAfter reports whether an action makes sense after the earlier ones: a daemon that is
// gone cannot be ended, and one that was never touched cannot be brought back.
func checkAfter(a event.Event, earlier []event.Event, p *Parameters) error {
	gone := p.gone(earlier, a.Verb.Object.Kind, a.Number)
	out := event.Last(earlier, func(e event.Event) bool {
		return e.SameObject(a) && (e.Verb.Name == "out" || e.Verb.Name == "in")
	}).Verb.Name == "out"
	touched := slices.ContainsFunc(earlier, a.SameObject)
	healthy := fmt.Errorf("%s is healthy at that point: no earlier fault affects it", a.Part())
	switch a.Verb.Name {
	case "kill", study.CutPower:
		if gone {
			return fmt.Errorf("%s is already down at that point", a.Part())
		}
	case "out":
		if out {
			return fmt.Errorf("%s is already out at that point", a.Part())
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
		if a.Verb.Object.Kind == "osd" && p.gone(earlier, "peer", p.nodeOf(a.Number)) {
			return fmt.Errorf("peer %d, which osd %d is on, is down at that point; restart it instead", p.nodeOf(a.Number), a.Number)
		}
	}
	return nil
}

// gone reports whether a node or OSD is away after the earlier actions. A node that is
// restarted starts its OSDs.
func (p *Parameters) gone(earlier []event.Event, what string, n int) bool {
	last := event.Last(earlier, func(e event.Event) bool {
		of := e.Verb.Object.Kind == what && e.Number == n || what == "osd" && e.Verb.Object.Kind == "peer" && e.Number == p.nodeOf(n)
		return of && slices.Contains([]string{"kill", "restart", study.CutPower}, e.Verb.Name)
	})
	return last.Verb.Name == "kill" || last.Verb.Name == study.CutPower
}
