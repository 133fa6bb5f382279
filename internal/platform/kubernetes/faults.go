package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// The verbs of faults of a cluster.
const (
	deletePod    = "delete pod"
	killServer   = "kill server"
	drainNode    = "drain node"
	uncordonNode = "uncordon node"
)

var faultVerbs = []string{deletePod, killServer, drainNode, uncordonNode}

// fault is one as a study writes it: "delete pod 0", "kill server 0 db", "drain node
// worker-2", "drain node of instance 0 db", "uncordon node worker-2".
type fault struct {
	verb     string
	instance int
	role     string // of the instance; empty is all
	node     string // in place of an instance
}

// ofInstance tells the nodes of an instance from a node by its name.
const ofInstance = "of instance "

// parseFault reads an action. With an error, the verb alone is known, or nothing.
func parseFault(text string) (f fault, err error) {
	rest := ""
	for _, verb := range faultVerbs {
		if after, ok := strings.CutPrefix(text, verb); ok && (after == "" || after[0] == ' ') {
			f.verb, rest = verb, strings.TrimSpace(after)
		}
	}
	unknown := fmt.Errorf("%q is not a fault of a cluster; supported: delete pod N, delete pod N ROLE, kill server N, kill server N ROLE, drain node NAME, drain node of instance N, uncordon node NAME, uncordon node of instance N", text)
	switch f.verb {
	case "":
		return f, unknown
	case drainNode, uncordonNode:
		number, isOfInstance := strings.CutPrefix(rest, ofInstance)
		if !isOfInstance {
			f.node = rest
			if len(validation.IsDNS1123Subdomain(rest)) > 0 {
				return f, unknown
			}
			return f, nil
		}
		rest = number
	}
	if f.instance, f.role, err = study.ParseInstance(rest); err != nil || f.instance < 0 || strings.Contains(f.role, " ") {
		return f, unknown
	}
	return f, nil
}

// sameNodes reports whether two faults are about the same nodes.
func (f fault) sameNodes(o fault) bool {
	return f.node == o.node && f.instance == o.instance && f.role == o.role
}

var _ platform.FaultChecker = Kind{}

// ParseFault implements platform.FaultChecker.
func (Kind) ParseFault(text string) study.Action {
	f, err := parseFault(text)
	switch {
	case f.verb == "":
		return study.Action{}
	case err != nil: // CheckFault says it
		return study.Action{Verb: f.verb, Part: text}
	}
	return study.Action{Verb: f.verb, Instance: f.instance, Role: f.role, Part: f.node}
}

// CheckFault implements storage.FaultChecker. Whether a node of a name exists, the
// cluster says when it is drained.
func (Kind) CheckFault(_ any, text string, before []string) error {
	f, err := parseFault(text)
	if err != nil {
		return err
	}
	drained := false
	for _, earlier := range before {
		if e, err := parseFault(earlier); err == nil && e.sameNodes(f) && slices.Contains([]string{drainNode, uncordonNode}, e.verb) {
			drained = e.verb == drainNode
		}
	}
	switch {
	case f.verb == drainNode && drained:
		return errors.New("it is drained already at that point")
	case f.verb == uncordonNode && !drained:
		return fmt.Errorf("no earlier fault drains it; write what was drained, as in %s", strings.Replace(text, uncordonNode, drainNode, 1))
	}
	return nil
}

// Effect implements platform.Faulter.
func (*Kubernetes) Effect(text string) storage.Effect {
	f, _ := parseFault(text) // it was checked
	switch f.verb {
	case killServer:
		return storage.Effect{Note: storage.Crash}
	case deletePod, drainNode:
		return storage.Effect{Note: "its servers are asked to end, and have the grace period of their pods"}
	}
	return storage.Effect{Repairs: f.verb == uncordonNode}
}
