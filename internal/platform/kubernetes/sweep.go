package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform/kubernetes/api"
)

// object is the journal's entry for all that the run makes in the cluster: a
// namespace, or objects with its label in an existing one.
func (k *Kubernetes) object() journal.Object {
	if k.owned {
		return k.inCluster(journal.ClusterNamespace, k.namespace)
	}
	return k.inCluster(journal.ClusterObjects, k.namespace)
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

// Sweep removes the objects of a state, in their clusters and on this machine.
func (k Kind) Sweep(ctx context.Context, s journal.State) []journal.Removal {
	var here []journal.Object
	var done []journal.Removal
	for _, o := range slices.Backward(s.Objects) {
		if o.InCluster() {
			done = append(done, k.sweepCluster(ctx, s.RunID, o))
		} else {
			here = append(here, o)
		}
	}
	slices.Reverse(here)
	s.Objects = here
	return append(done, journal.Sweep(ctx, s)...)
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
		return journal.Removal{Object: o, Unreached: true, Err: err}
	}
	found, err := sweep(ctx, client, runID, o)
	return journal.Removal{Object: o, Found: found, Err: err}
}

// sweep removes what a run made in a cluster, and looks whether it has gone.
func sweep(ctx context.Context, c *api.Client, runID string, o journal.Object) (found bool, err error) {
	switch o.Kind {
	case journal.ClusterObjects:
		return sweepObjects(ctx, c, runID, o.Name)
	case journal.ClusterCordon:
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
