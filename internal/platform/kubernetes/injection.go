package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
)

var _ platform.Faulter = (*Kubernetes)(nil)

// Victims implements platform.Faulter. A drain evicts only servers of this run from a node:
// drivers and the pods of others stay.
func (k *Kubernetes) Victims(ctx context.Context, text string, running []platform.Server) (all []platform.Server, err error) {
	f, err := parseFault(text)
	if err != nil {
		return nil, err
	}
	if f.verb == drainNode {
		nodes, err := k.nodesOf(ctx, f, running)
		if err != nil {
			return nil, err
		}
		return some(running, func(s platform.Server) bool { return slices.Contains(nodes, k.nodeOf(s)) }), nil
	}
	if all = some(running, f.concerns); len(all) == 0 {
		return nil, errors.New("none of these servers runs at the time")
	}
	return all, nil
}

func some(all []platform.Server, has func(platform.Server) bool) []platform.Server {
	return slices.DeleteFunc(slices.Clone(all), func(s platform.Server) bool { return !has(s) })
}

// concerns reports whether a fault names an instance, and the server is of it.
func (f fault) concerns(s platform.Server) bool {
	return f.node == "" && s.Instance == f.instance && (f.role == "" || s.Role == f.role)
}

// nodeOf is the node that a server is on.
func (k *Kubernetes) nodeOf(s platform.Server) string {
	p, ok := s.Process.(*process)
	if !ok {
		return ""
	}
	if now := k.pods.Get(p.pod.Name); now != nil {
		return now.Spec.NodeName
	}
	return ""
}

// nodesOf are those that a fault is about.
func (k *Kubernetes) nodesOf(ctx context.Context, f fault, running []platform.Server) ([]string, error) {
	if f.node != "" {
		_, err := k.node(ctx, f.node)
		return []string{f.node}, err
	}
	names := map[string]bool{}
	for _, s := range some(running, f.concerns) {
		if name := k.nodeOf(s); name != "" {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return nil, errors.New("none of these servers runs at the time")
	}
	return slices.Sorted(maps.Keys(names)), nil
}

func (k *Kubernetes) node(ctx context.Context, name string) (*corev1.Node, error) {
	node, err := api.Of[corev1.Node](k.client, "").Get(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("the cluster has no node %s; `kubectl get nodes` lists them", name)
	case err != nil:
		return nil, fmt.Errorf("look at node %s: %w", name, api.Explained(err))
	}
	return node, nil
}

// Inject implements platform.Faulter.
func (k *Kubernetes) Inject(ctx context.Context, text string, victims []platform.Server) error {
	f, err := parseFault(text)
	if err != nil {
		return err
	}
	switch f.verb {
	case uncordonNode:
		return k.uncordonAll(ctx, f.sameNodes)
	case drainNode:
		nodes, err := k.nodesOf(ctx, f, victims)
		if err != nil {
			return err
		}
		for _, name := range nodes {
			if err := k.cordon(ctx, name, f); err != nil {
				return err
			}
		}
	}
	return eachVictim(victims, func(p *process) error { return p.suffer(ctx, f.verb) })
}

func eachVictim(victims []platform.Server, do func(*process) error) error {
	var wait errgroup.Group
	for _, v := range victims {
		p, ok := v.Process.(*process)
		if !ok {
			return fmt.Errorf("%s is not a server of this platform", v.Process.Name())
		}
		wait.Go(func() error { return do(p) })
	}
	return wait.Wait()
}

// suffer does to a server what a fault does, and waits for its end.
func (p *process) suffer(ctx context.Context, verb string) error {
	grace := stopTimeout(p.d.Server) + endGrace
	p.give(fmt.Errorf("%s was ended by the fault %q", p.Name(), verb))
	var err error
	switch verb {
	case killServer:
		return p.kill()
	case deletePod:
		err = p.k.client.Delete(ctx, p.pod, grace)
	case drainNode:
		err = p.k.client.Evict(ctx, p.pod, grace)
	}
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.k.pods.AwaitGone(ctx, p.pod.Name, p.pod.UID)
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(grace + slack):
		return fmt.Errorf("%s did not end within %s: its node may be away", p.Name(), grace+slack)
	}
}

// cordonedBy marks a node that a run keeps servers from.
const cordonedBy = "plimsoll.io/cordoned-by"

// cordon keeps new pods from a node. One that was cordoned before
// stays as it is.
func (k *Kubernetes) cordon(ctx context.Context, name string, by fault) error {
	node, err := k.node(ctx, name)
	if err != nil || node.Spec.Unschedulable {
		return err
	}
	if err := k.env.Journal.Making(k.cordoned(name)); err != nil {
		return err
	}
	k.mu.Lock()
	k.drained[name] = by
	k.mu.Unlock()
	return setCordon(ctx, k.client, name, k.env.RunID, func(now *corev1.Node) bool { return !now.Spec.Unschedulable })
}

func (k *Kubernetes) cordoned(node string) journal.Object {
	return k.inCluster(cordonedNode, node)
}

// uncordon gives a node back that a run cordoned.
func uncordon(ctx context.Context, c *api.Client, name, runID string) (found bool, err error) {
	err = setCordon(ctx, c, name, nil, func(now *corev1.Node) bool {
		found = now.Annotations[cordonedBy] == runID
		return found
	})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return found, err
}

// setCordon cordons a node for a run, or uncordons it for nil, if it is as it should be.
func setCordon(ctx context.Context, c *api.Client, name string, runID any, fit func(*corev1.Node) bool) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := api.Of[corev1.Node](c, "").Get(ctx, name)
		if err != nil || !fit(now) {
			return err
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": now.ResourceVersion, "annotations": map[string]any{cordonedBy: runID}},
			"spec":     map[string]any{"unschedulable": runID != nil},
		})
		if err != nil {
			return err
		}
		return api.Of[corev1.Node](c, "").Merge(ctx, name, patch)
	})
	if err != nil {
		return fmt.Errorf("change node %s: %w", name, api.Explained(err))
	}
	return nil
}

// uncordonAll gives the nodes back that some faults cordoned.
func (k *Kubernetes) uncordonAll(ctx context.Context, by func(fault) bool) error {
	for _, name := range k.drainedBy(by) {
		if _, err := uncordon(ctx, k.client, name, k.env.RunID); err != nil {
			return err
		}
		if err := k.env.Journal.Removed(k.cordoned(name)); err != nil {
			return err
		}
		k.mu.Lock()
		delete(k.drained, name)
		k.mu.Unlock()
	}
	return nil
}

func (k *Kubernetes) drainedBy(some func(fault) bool) (names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, by := range k.drained {
		if some(by) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func anyFault(fault) bool { return true }

// Repair implements platform.Faulter.
func (k *Kubernetes) Repair(ctx context.Context) (done []string, err error) {
	for _, name := range k.drainedBy(anyFault) {
		done = append(done, "uncordon node "+name)
	}
	return done, k.uncordonAll(ctx, anyFault)
}

// Healthy implements platform.Faulter.
func (k *Kubernetes) Healthy(context.Context) (bool, error) {
	return len(k.drainedBy(anyFault)) == 0, nil
}
