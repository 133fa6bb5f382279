package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/text/words"
)

// Kinds of objects in a cluster, and what their Name is. Their Path is the context of Config.
const (
	clusterNamespace journal.Kind = "cluster namespace" // made by the run
	clusterObjects   journal.Kind = "cluster objects"   // an existing namespace, in which those with the run's label are
	cordonedNode     journal.Kind = "cordoned node"     // the node that the run keeps pods from
)

// object is the journal's entry for all that the run makes in the cluster: a
// namespace, or objects with its label in an existing one.
func (k *Kubernetes) object() journal.Object {
	if k.owned {
		return k.inCluster(clusterNamespace, k.namespace)
	}
	return k.inCluster(clusterObjects, k.namespace)
}

// inCluster says where an object is, and how to get there from any directory.
func (k *Kubernetes) inCluster(kind journal.Kind, name string) journal.Object {
	return journal.Object{Kind: kind, Name: name, Path: k.client.Context, Config: k.parameters.config()}
}

// config is the path of the kubeconfig file; empty for the user's own.
func (p *Parameters) config() string {
	if p.Kubeconfig == "" {
		return ""
	}
	path, err := filepath.Abs(p.Kubeconfig)
	if err != nil { // the working directory is gone; the file was found nevertheless
		return p.Kubeconfig
	}
	return path
}

// Leaves implements journal.Leaver.
func (k Kind) Leaves() journal.Owners {
	return journal.Owners{{
		Kinds:   []journal.Kind{clusterNamespace, clusterObjects, cordonedNode},
		Present: func(string, journal.Object) bool { return true }, // nobody goes there to look
		ByHand:  byHand,
		Sweep:   journal.Each(k.sweepCluster),
		Adopt: func(o journal.Object) journal.Object {
			o.Config = k.bound().parameters.config()
			return o
		},
	}}
}

// byHand is the command that removes an object of a run.
func byHand(runID string, o journal.Object) string {
	kubectl, name := "kubectl --context "+words.Shell(o.Path), words.Shell(o.Name)
	switch o.Kind {
	case clusterObjects:
		return kubectl + " --namespace " + name + " delete pods,services,secrets,pvc,volumesnapshots -l plimsoll.io/run=" + words.Shell(runID)
	case cordonedNode:
		return kubectl + " uncordon " + name
	}
	return kubectl + " delete namespace " + name
}

// sweepCluster goes to the cluster that the object is registered in, whatever the
// parameters of a plan, which may be anybody's, and the current context say. What a
// detached run registered names none: its cluster is the one that this program runs in.
func (k Kind) sweepCluster(ctx context.Context, runID string, o journal.Object) journal.Removal {
	there := defaults()
	there.Kubeconfig = o.Config
	if o.Path != api.InCluster {
		there.Context = o.Path
	}
	client, err := k.Bind(there).(Kind).client(ctx)
	if err != nil {
		return journal.Removal{Unreached: true, Err: err}
	}
	found, err := sweep(ctx, client, runID, o)
	return journal.Removal{Found: found, Err: err}
}

// sweep removes what a run made in a cluster, and looks whether it has gone.
func sweep(ctx context.Context, c *api.Client, runID string, o journal.Object) (found bool, err error) {
	switch o.Kind {
	case clusterObjects:
		return sweepObjects(ctx, c, runID, o.Name)
	case cordonedNode:
		return uncordon(ctx, c, o.Name, runID)
	}
	namespace, err := api.Of[corev1.Namespace](c, "").Get(ctx, o.Name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("look for namespace %s: %w", o.Name, api.Explained(err))
	}
	for key, value := range api.Labels(runID) {
		if namespace.Labels[key] != value {
			return true, fmt.Errorf("namespace %s does not carry the labels of run %q: not removed", o.Name, runID)
		}
	}
	// What runs there ends at once: nobody needs its data any more.
	if err := deleteAll(ctx, c, podKind, o.Name, runID); err != nil {
		return true, err
	}
	if err := c.Delete(ctx, namespace, -1); err != nil {
		return true, err
	}
	if err := c.AwaitGone(ctx, namespace); err != nil {
		return true, fmt.Errorf("%w; see: kubectl describe namespace %s", err, o.Name)
	}
	return true, nil
}

// What a run may have made in a namespace that existed before, in the order of its
// removal: pods hold claims.
var (
	podKind   = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	sweepable = []schema.GroupVersionKind{
		podKind,
		{Version: "v1", Kind: "Service"},
		{Version: "v1", Kind: "Secret"},
		{Version: "v1", Kind: "PersistentVolumeClaim"},
		{Group: "snapshot.storage.k8s.io", Version: "v1", Kind: "VolumeSnapshot"},
	}
)

// sweepObjects removes what carries the run's label in a namespace.
func sweepObjects(ctx context.Context, c *api.Client, runID, namespace string) (found bool, err error) {
	var errs []error
	for _, kind := range sweepable {
		all, err := c.List(ctx, kind, namespace, api.OfRun(runID))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for i := range all {
			found = true
			errs = append(errs, c.Delete(ctx, &all[i], graceOf(kind)))
		}
		for i := range all {
			errs = append(errs, c.AwaitGone(ctx, &all[i]))
		}
	}
	return found, errors.Join(errs...)
}

// deleteAll asks for the deletion of what a run made of a kind.
func deleteAll(ctx context.Context, c *api.Client, kind schema.GroupVersionKind, namespace, runID string) error {
	all, err := c.List(ctx, kind, namespace, api.OfRun(runID))
	if err != nil {
		return err
	}
	var errs []error
	for i := range all {
		errs = append(errs, c.Delete(ctx, &all[i], graceOf(kind)))
	}
	return errors.Join(errs...)
}

// graceOf lets pods end within a second; their data is about to go.
func graceOf(kind schema.GroupVersionKind) time.Duration {
	if kind == podKind {
		return time.Second
	}
	return -1
}
