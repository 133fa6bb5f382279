package kubernetes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/result"
)

// nodes are the nodes of the cluster.
type nodes struct {
	all     map[string]result.Host
	storage map[string]bool   // that serve volumes
	names   map[string]string // by name and address
}

// pretends marks a node that KWOK simulates.
const pretends = "kwok.x-k8s.io/node"

// findNodes lists the nodes with their known properties. An account that may not list nodes
// learns only their names, from the pods; a note says so.
func (k *Kubernetes) findNodes(ctx context.Context) (nodes, []string) {
	found := nodes{all: map[string]result.Host{}, storage: map[string]bool{}, names: map[string]string{}}
	list, err := k.client.Nodes(ctx, "")
	if err != nil {
		return found, []string{fmt.Sprintf("the size of the nodes is not known: list them: %v", api.Explained(err))}
	}
	serves := labels.SelectorFromSet(k.parameters.StorageNodes)
	for _, n := range list {
		_, simulated := n.Annotations[pretends]
		found.all[n.Name] = result.Host{
			Name: n.Name, Cores: n.Status.Capacity.Cpu().AsApproximateFloat64(), Memory: n.Status.Capacity.Memory().Value(), Simulated: simulated,
		}
		found.names[n.Name] = n.Name
		for _, a := range n.Status.Addresses {
			found.names[a.Address] = n.Name
		}
		if len(k.parameters.StorageNodes) > 0 && serves.Matches(labels.Set(n.Labels)) {
			found.storage[n.Name] = true
		}
	}
	notes := k.findLocalVolumes(ctx, list, found.storage)
	return found, notes
}

// findLocalVolumes adds the nodes whose own disks hold the run's volumes: those
// can be reached from one node only.
func (k *Kubernetes) findLocalVolumes(ctx context.Context, all []corev1.Node, storage map[string]bool) []string {
	volumes, err := api.Of[corev1.PersistentVolume](k.client, "").List(ctx, metav1.ListOptions{})
	if err != nil {
		return []string{fmt.Sprintf("whether volumes lie on the nodes' own disks is not known: list persistent volumes: %v", api.Explained(err))}
	}
	for _, v := range volumes {
		if v.Spec.ClaimRef == nil || v.Spec.ClaimRef.Namespace != k.namespace || v.Spec.NodeAffinity == nil || v.Spec.NodeAffinity.Required == nil {
			continue
		}
		if at := pinned(v.Spec.NodeAffinity.Required, all); at != "" {
			storage[at] = true
		}
	}
	return nil
}

// pinned is the only node that a volume can be reached from, empty where there are
// several in a cluster of several.
func pinned(to *corev1.NodeSelector, all []corev1.Node) string {
	for _, term := range to.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if e.Key == corev1.LabelHostname && e.Operator == corev1.NodeSelectorOpIn && len(e.Values) == 1 {
				for _, n := range all {
					if n.Labels[corev1.LabelHostname] == e.Values[0] {
						return n.Name
					}
				}
			}
		}
	}
	return ""
}
