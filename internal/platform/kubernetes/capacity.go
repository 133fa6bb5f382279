package kubernetes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"plimsoll/internal/cluster/kube"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

var _ storage.ClaimClasses = Kind{}

// ClaimClass implements storage.ClaimClasses.
func (k Kind) ClaimClass(ctx context.Context, name string) (storage.ClaimClass, error) {
	client, err := k.bound().client(ctx)
	if err != nil {
		return storage.ClaimClass{}, err
	}
	return claimClass(ctx, client, name)
}

// Capacity is what the ready nodes for servers have, without what pods there ask
// for already.
func (k Kind) Capacity(ctx context.Context) (platform.Capacity, error) {
	k = k.bound()
	client, err := k.client(ctx)
	if err != nil {
		return platform.Capacity{}, err
	}
	at := k.parameters.Placement.Application
	nodes, err := client.Nodes(ctx, labels.SelectorFromSet(at.NodeSelector).String())
	if err != nil {
		return platform.Capacity{}, fmt.Errorf("look at the nodes of the cluster: %w", kube.Explained(err))
	}
	pods, err := kube.All(ctx, metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed"},
		client.Set.CoreV1().Pods(metav1.NamespaceAll).List, func(l *corev1.PodList) []corev1.Pod { return l.Items })
	if err != nil && !apierrors.IsForbidden(err) { // where a run has one namespace only
		return platform.Capacity{}, fmt.Errorf("look at what the pods of the cluster ask for: %w", kube.Explained(err))
	}
	has := free(nodes, pods, at)
	has.Requests = k.parameters.Requests
	has.Quota, err = quota(ctx, client, k.parameters.Namespace)
	volumes := volumesOf(ctx, client)
	for i := range has.Nodes {
		has.Nodes[i].Volumes = volumes[has.Nodes[i].Name]
	}
	return has, err
}

// free is what nodes may still give to pods.
func free(nodes []corev1.Node, pods []corev1.Pod, at Place) platform.Capacity {
	has := platform.Capacity{Where: "the cluster"}
	var milli int64
	on := map[string][]*corev1.Pod{}
	for i := range pods {
		on[pods[i].Spec.NodeName] = append(on[pods[i].Spec.NodeName], &pods[i])
	}
	for _, n := range nodes {
		if !takes(n, at) {
			continue
		}
		left := leftOn(n, on[n.Name])
		has.Nodes = append(has.Nodes, left)
		has.MemoryBytes, milli = has.MemoryBytes+left.MemoryBytes, milli+left.MilliCPU
	}
	has.Cores = float64(milli) / 1000
	return has
}

// leftOn is what a node has left beside its pods.
func leftOn(n corev1.Node, pods []*corev1.Pod) platform.Node {
	all := n.Status.Allocatable
	left := platform.Node{Name: n.Name, MilliCPU: all.Cpu().MilliValue(), MemoryBytes: all.Memory().Value(), Servers: int(all.Pods().Value())}
	for _, p := range pods {
		memory, milli := requested(p.Spec)
		left.MemoryBytes, left.MilliCPU, left.Servers = left.MemoryBytes-memory, left.MilliCPU-milli, left.Servers-1
	}
	left.MemoryBytes, left.MilliCPU, left.Servers = max(0, left.MemoryBytes), max(0, left.MilliCPU), max(0, left.Servers)
	return left
}

// volumesOf is how many volumes each node takes, by provisioner, where their drivers say
// so. Who may not ask does without.
func volumesOf(ctx context.Context, c *kube.Client) map[string]map[string]int {
	nodes, err := kube.All(ctx, metav1.ListOptions{}, c.Set.StorageV1().CSINodes().List, func(l *storagev1.CSINodeList) []storagev1.CSINode { return l.Items })
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

// quota is what those of an existing namespace leave; nil where there is none.
func quota(ctx context.Context, c *kube.Client, namespace string) (*platform.Node, error) {
	if namespace == "" {
		return nil, nil
	}
	all, err := c.Set.CoreV1().ResourceQuotas(namespace).List(ctx, metav1.ListOptions{})
	if apierrors.IsForbidden(err) {
		return nil, nil // what it exceeds, the cluster says later
	}
	if err != nil {
		return nil, fmt.Errorf("look at the quotas of namespace %s: %w", namespace, kube.Explained(err))
	}
	if len(all.Items) == 0 {
		return nil, nil
	}
	left := platform.Node{MilliCPU: unlimited, MemoryBytes: unlimited, Servers: unlimited}
	for _, q := range all.Items {
		for name, hard := range q.Status.Hard {
			rest := hard.DeepCopy()
			rest.Sub(q.Status.Used[name])
			switch name {
			case corev1.ResourceCPU, corev1.ResourceRequestsCPU:
				left.MilliCPU = min(left.MilliCPU, max(0, rest.MilliValue()))
			case corev1.ResourceMemory, corev1.ResourceRequestsMemory:
				left.MemoryBytes = min(left.MemoryBytes, max(0, rest.Value()))
			case corev1.ResourcePods, "count/pods", corev1.ResourcePersistentVolumeClaims:
				left.Servers = min(left.Servers, int(max(0, rest.Value())))
			}
		}
	}
	return &left, nil
}

// unlimited is more than any cluster has.
const unlimited = 1 << 50

// takes reports whether a node takes pods which are placed so.
func takes(n corev1.Node, at Place) bool {
	if n.Spec.Unschedulable {
		return false
	}
	for _, taint := range n.Spec.Taints {
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated(taint, at.Tolerations) {
			return false
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
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
