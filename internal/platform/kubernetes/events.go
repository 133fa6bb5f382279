package kubernetes

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll/internal/describe/event"
)

// The verbs of a cluster, as Verb.Words gives them.
const (
	deletePod    = "delete pod"
	killServer   = "kill server"
	drainNode    = "drain node"
	uncordonNode = "uncordon node"
)

// Events declares what can be done to servers and nodes. Whether a node exists, the cluster says
// when it is drained.
func (Kind) Events(any) event.Declaration {
	node := event.Object{Form: event.Node, Kind: "node", Valid: func(name string) bool {
		return len(validation.IsDNS1123Subdomain(name)) == 0
	}}
	const asked = "its servers are asked to end, and have the grace period of their pods"
	return event.Declaration{Of: "a cluster", Order: order, Verbs: []event.Verb{
		{Name: "delete", Object: event.Object{Form: event.Servers, Kind: "pod"}, Breaks: true, Note: asked, Text: "deletes the pods of an instance, which are made again at once"},
		{Name: "kill", Object: event.Object{Form: event.Servers, Kind: "server"}, Breaks: true, Note: event.Crash, Text: "kills the servers of an instance in their pods, which are made again at once"},
		{Name: "drain", Object: node, Breaks: true, Note: asked, Text: "cordons a node and evicts this run's servers from it, until it is uncordoned"},
		{Name: "uncordon", Object: node, Undoes: []string{"drain"}, Text: "lets a node take pods again"},
	}}
}

// order reports whether an event makes sense after the earlier ones.
func order(e event.Event, earlier []event.Event) error {
	drained := event.Last(earlier, func(b event.Event) bool { return b.SameObject(e) }).Verb.Words() == drainNode
	switch {
	case e.Verb.Words() == drainNode && drained:
		return errors.New("it is drained already at that point")
	case e.Verb.Repairs() && !drained:
		return fmt.Errorf("no earlier fault drains it; write what was drained, as in %s", strings.Replace(e.Text, uncordonNode, drainNode, 1))
	}
	return nil
}
