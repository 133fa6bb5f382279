package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/platform/kubernetes/image"
)

// linux is the system of all images, as nodes name theirs.
const linux = "linux"

// wanted is what pods require of their nodes.
type wanted struct {
	labels        map[string]string
	architectures []string // any of these; none is not known
	tolerations   []Toleration
}

// wanted is what pods want that are placed so: what the study names, and what their
// images run on. Every pod runs Plimsoll's program, which is known for the images that
// are released with it and not for another that the study names.
func (p *Parameters) wanted(at Place) wanted {
	w := wanted{labels: map[string]string{}, tolerations: at.Tolerations}
	maps.Copy(w.labels, at.NodeSelector)
	w.labels[corev1.LabelOSStable] = linux
	if p.Images[own] == "" {
		w.architectures = image.Architectures()
	}
	return w
}

// refusal says why a node does not take such pods, as a clause about the node; empty means
// that it does.
func (w wanted) refusal(n corev1.Node) string {
	if system := n.Labels[corev1.LabelOSStable]; system != linux && system != "" {
		return "runs " + system
	}
	for _, key := range slices.Sorted(maps.Keys(w.labels)) {
		if n.Labels[key] != w.labels[key] {
			return fmt.Sprintf("has no label %s=%s", key, w.labels[key])
		}
	}
	if of := n.Labels[corev1.LabelArchStable]; len(w.architectures) > 0 && !slices.Contains(w.architectures, of) {
		return fmt.Sprintf("is of architecture %q, for which Plimsoll has no image", of)
	}
	if !ready(n) {
		return "is not ready"
	}
	if n.Spec.Unschedulable {
		return "is cordoned"
	}
	for _, taint := range n.Spec.Taints {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated(taint, w.tolerations) {
			return "has the taint " + taint.ToString()
		}
	}
	return ""
}

func ready(n corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func tolerated(taint corev1.Taint, by []Toleration) bool {
	for _, t := range by {
		toleration := corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
		if toleration.ToleratesTaint(&taint) {
			return true
		}
	}
	return false
}

// namesShown bounds how many nodes a sentence names.
const namesShown = 3

// closed lists, in sentences, which of servers and drivers no node takes, and why.
func closed(nodes []corev1.Node, servers, drivers wanted) (sentences []string) {
	noServers, noDrivers := servers.refusals(nodes), drivers.refusals(nodes)
	if noServers != "" && noServers == noDrivers {
		return []string{"no node takes servers or drivers: " + noServers}
	}
	if noServers != "" {
		sentences = append(sentences, "no node takes servers: "+noServers)
	}
	if noDrivers != "" {
		sentences = append(sentences, "no node takes drivers: "+noDrivers)
	}
	return sentences
}

// refusals are why no node takes such pods; empty where one does.
func (w wanted) refusals(nodes []corev1.Node) string {
	if len(nodes) == 0 {
		return "the cluster has none"
	}
	why := map[string][]string{}
	for _, n := range nodes {
		refusal := w.refusal(n)
		if refusal == "" {
			return ""
		}
		why[refusal] = append(why[refusal], n.Name)
	}
	var all []string
	for _, refusal := range slices.Sorted(maps.Keys(why)) {
		names := why[refusal]
		shown := strings.Join(names[:min(len(names), namesShown)], ", ")
		if more := len(names) - namesShown; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		all = append(all, fmt.Sprintf("%s (%s)", shown, refusal))
	}
	return strings.Join(all, ", ")
}
