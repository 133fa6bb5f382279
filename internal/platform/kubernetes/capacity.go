package kubernetes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/describe"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
)

// ClaimClass implements platform.KindCapabilities.
func (k Kind) ClaimClass(ctx context.Context, name string) (storage.ClaimClass, error) {
	client, err := k.bound().client(ctx)
	if err != nil {
		return storage.ClaimClass{}, err
	}
	return claimClass(ctx, client, name)
}

// Capacity is the capacity of the ready nodes for servers, less the requests of the pods
// already there.
func (k Kind) Capacity(ctx context.Context) (describe.Capacity, error) {
	k = k.bound()
	client, err := k.client(ctx)
	if err != nil {
		return describe.Capacity{}, err
	}
	nodes, err := client.Nodes(ctx, "")
	if err != nil {
		return describe.Capacity{}, fmt.Errorf("look at the nodes of the cluster: %w", api.Explained(err))
	}
	pods, err := api.Of[corev1.Pod](client, metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed"})
	unseen := apierrors.IsForbidden(err) // where a run has one namespace only
	if err != nil && !unseen {
		return describe.Capacity{}, fmt.Errorf("look at what the pods of the cluster ask for: %w", api.Explained(err))
	}
	servers, drivers := k.parameters.wanted(k.parameters.Placement.Application), k.parameters.wanted(k.parameters.Placement.Driver)
	has := free(nodes, pods, servers)
	has.Closed = closed(nodes, servers, drivers)
	if unseen {
		has.Notes = append(has.Notes, "this account may not list the pods of all namespaces: what they ask the nodes for is not known, and nodes are taken for empty")
	}
	has.Requests = k.parameters.Requests
	of, notes, err := rulesOf(ctx, client, k.parameters)
	has.Refuses, has.Notes = of.refuses, append(has.Notes, notes...)
	volumes := volumesOf(ctx, client)
	for i := range has.Nodes {
		has.Nodes[i].Volumes = volumes[has.Nodes[i].Name]
	}
	return has, err
}

// free is what nodes may still give to pods. Where none takes any, there is no sum.
func free(nodes []corev1.Node, pods []corev1.Pod, at wanted) describe.Capacity {
	has := describe.Capacity{Where: "the cluster", Placed: true}
	var milli, memory int64
	on := map[string][]*corev1.Pod{}
	for i := range pods {
		on[pods[i].Spec.NodeName] = append(on[pods[i].Spec.NodeName], &pods[i])
	}
	for _, n := range nodes {
		if at.refusal(n) != "" {
			continue
		}
		left := leftOn(n, on[n.Name])
		has.Nodes = append(has.Nodes, left)
		memory, milli = memory+left.MemoryBytes, milli+left.MilliCPU
	}
	if len(has.Nodes) > 0 {
		has.MemoryBytes = &memory
	}
	has.Cores = float64(milli) / 1000
	return has
}

// leftOn is the capacity that its pods leave free on a node.
func leftOn(n corev1.Node, pods []*corev1.Pod) describe.Node {
	all := n.Status.Allocatable
	left := describe.Node{Name: n.Name, MilliCPU: all.Cpu().MilliValue(), MemoryBytes: all.Memory().Value(), Servers: int(all.Pods().Value())}
	for _, p := range pods {
		memory, milli := requested(p.Spec)
		left.MemoryBytes, left.MilliCPU, left.Servers = left.MemoryBytes-memory, left.MilliCPU-milli, left.Servers-1
	}
	left.MemoryBytes, left.MilliCPU, left.Servers = max(0, left.MemoryBytes), max(0, left.MilliCPU), max(0, left.Servers)
	return left
}

// volumesOf is how many volumes each node takes, by provisioner, where their drivers say
// so. Who may not ask does without.
func volumesOf(ctx context.Context, c *api.Client) map[string]map[string]int {
	nodes, err := api.Of[storagev1.CSINode](c, "").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	most := map[string]map[string]int{}
	for _, n := range nodes {
		most[n.Name] = map[string]int{}
		for _, d := range n.Spec.Drivers {
			if d.Allocatable != nil && d.Allocatable.Count != nil {
				most[n.Name][d.Name] = int(*d.Allocatable.Count)
			}
		}
	}
	return most
}

// requested is what a pod asks for: its containers together, or the largest of those
// that run before them.
func requested(spec corev1.PodSpec) (memory, milli int64) {
	for _, c := range spec.Containers {
		memory += c.Resources.Requests.Memory().Value()
		milli += c.Resources.Requests.Cpu().MilliValue()
	}
	for _, c := range spec.InitContainers {
		memory = max(memory, c.Resources.Requests.Memory().Value())
		milli = max(milli, c.Resources.Requests.Cpu().MilliValue())
	}
	return memory, milli
}
