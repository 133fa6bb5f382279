// Package kubernetes runs instances as pods of a cluster, whose volumes are claims.
// docs/platform-kubernetes.md says what it makes there and what it needs.
//
// A run has a namespace of its own, or works in one that the study names; all that
// it makes carries the labels of kube.Labels. The namespace is journalled before
// anything is made in it.
package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"plimsoll/internal/app"
	"plimsoll/internal/kube"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
)

// Kind makes platforms on one cluster.
type Kind struct {
	parameters *Parameters
	cluster    *cluster
}

// cluster is reached when it is first needed, and then kept.
type cluster struct {
	mu     sync.Mutex
	client *kube.Client
}

var _ platform.Kind = Kind{}

// Name is the registry key.
func (Kind) Name() string { return "kubernetes" }

// Defaults gives fresh parameters.
func (Kind) Defaults() any { return defaults() }

// Validate looks at the parameters alone, not at the cluster.
func (Kind) Validate(parameters any) []storage.FieldError {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []storage.FieldError{{Field: "", Reason: fmt.Sprintf("%T are not the parameters of Kubernetes", parameters)}}
	}
	return p.problems()
}

// Bind gives the kind that reaches the cluster of the parameters.
func (Kind) Bind(parameters any) platform.Kind {
	p, ok := parameters.(*Parameters)
	if !ok || p == nil {
		p = defaults()
	}
	return Kind{parameters: p, cluster: &cluster{}}
}

// bound is the kind with parameters, if need be the usual ones.
func (k Kind) bound() Kind {
	if k.parameters == nil {
		return k.Bind(nil).(Kind)
	}
	return k
}

// client connects once.
func (k Kind) client(ctx context.Context) (*kube.Client, error) {
	k.cluster.mu.Lock()
	defer k.cluster.mu.Unlock()
	if k.cluster.client != nil {
		return k.cluster.client, nil
	}
	client, err := kube.Connect(ctx, k.parameters.Kubeconfig, k.parameters.Context)
	k.cluster.client = client
	return client, err
}

// Hosts has claims only.
func (Kind) Hosts(of storage.Kind) error {
	if _, ok := of.(storage.ByClaim); !ok {
		return errors.New("its volumes lie on one machine, and those of a cluster are claims; use the class claim, which takes a StorageClass of the cluster, or run it with --platform local")
	}
	return nil
}

// Find names the image; what is in it is known when it runs.
func (k Kind) Find(_ context.Context, e app.Engine, version string, _ bool) (app.Installation, error) {
	image, err := k.bound().parameters.imageOf(e, version)
	return app.Installation{Engine: e.Name(), Version: version, Source: "image", Image: image}, err
}

// Deploys knows pods, which is what bare means here.
func (Kind) Deploys(_ context.Context, d study.Deployment) error {
	if d.OrBare() == study.Bare {
		return nil
	}
	return fmt.Errorf("on Kubernetes every server is a pod: leave deployment out, or run it with --platform local")
}

// Free is not known: storage classes of clusters do not say it.
func (Kind) Free(context.Context, string) (int64, error) { return -1, nil }

// Kept is empty: golden volumes are claims of a run.
func (Kind) Kept(string) platform.Kept { return noStore{} }

type noStore struct{}

func (noStore) Size(context.Context) (int, int64, error) { return 0, 0, nil }
func (noStore) Remove(context.Context) (int, error)      { return 0, nil }

// Capacity is what the ready nodes for servers have, without what pods there ask
// for already.
func (k Kind) Capacity(ctx context.Context) (platform.Capacity, error) {
	k = k.bound()
	client, err := k.client(ctx)
	if err != nil {
		return platform.Capacity{}, err
	}
	at := k.parameters.Placement.Application
	nodes, err := client.Set.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(at.NodeSelector).String()})
	if err != nil {
		return platform.Capacity{}, fmt.Errorf("look at the nodes of the cluster: %w", kube.Explained(err))
	}
	pods, err := client.Set.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed"})
	if apierrors.IsForbidden(err) { // where a run has one namespace only
		pods = &corev1.PodList{}
	} else if err != nil {
		return platform.Capacity{}, fmt.Errorf("look at what the pods of the cluster ask for: %w", kube.Explained(err))
	}
	return free(nodes.Items, pods.Items, at), nil
}

// free adds up what nodes may still give to pods.
func free(nodes []corev1.Node, pods []corev1.Pod, at Place) platform.Capacity {
	var memory, milli int64
	for _, n := range nodes {
		if !takes(n, at) {
			continue
		}
		freeMemory, freeMilli := n.Status.Allocatable.Memory().Value(), n.Status.Allocatable.Cpu().MilliValue()
		for _, p := range pods {
			if p.Spec.NodeName == n.Name {
				m, c := requested(p.Spec)
				freeMemory, freeMilli = freeMemory-m, freeMilli-c
			}
		}
		memory, milli = memory+max(0, freeMemory), milli+max(0, freeMilli)
	}
	return platform.Capacity{MemoryBytes: memory, Cores: int(milli / 1000)}
}

// takes says that a node takes pods which are placed so.
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

// New makes the platform of a run.
func (k Kind) New(env platform.Env) (platform.Platform, error) {
	p, err := k.open(env)
	if err != nil {
		return nil, err // and not a platform that is nil
	}
	return p, nil
}
