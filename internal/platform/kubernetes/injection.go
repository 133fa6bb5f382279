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

	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
)

// Victims implements platform.Actor. A drain evicts only servers of this run from a node:
// drivers and the pods of others stay.
func (k *Kubernetes) Victims(ctx context.Context, e event.Event, running []platform.Server) (all []platform.Server, err error) {
	if e.Verb.Words() == drainNode {
		nodes, err := k.nodesOf(ctx, e, running)
		if err != nil {
			return nil, err
		}
		return some(running, func(s platform.Server) bool { return slices.Contains(nodes, k.nodeOf(s)) }), nil
	}
	if all = some(running, concerned(e)); len(all) == 0 {
		return nil, errors.New("none of these servers runs at the time")
	}
	return all, nil
}

func some(all []platform.Server, has func(platform.Server) bool) []platform.Server {
	return slices.DeleteFunc(slices.Clone(all), func(s platform.Server) bool { return !has(s) })
}

// concerned selects the servers of the instance that an event names, if it names one.
func concerned(e event.Event) func(platform.Server) bool {
	return func(s platform.Server) bool {
		return e.Name == "" && s.Member == e.Member && s.Instance == e.Number && (e.Role == "" || s.Role == e.Role)
	}
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

// nodesOf returns the nodes that an event is about.
func (k *Kubernetes) nodesOf(ctx context.Context, e event.Event, running []platform.Server) ([]string, error) {
	if e.Name != "" {
		_, err := k.node(ctx, e.Name)
		return []string{e.Name}, err
	}
	names := map[string]bool{}
	for _, s := range some(running, concerned(e)) {
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

// Do implements platform.Actor.
func (k *Kubernetes) Do(ctx context.Context, e event.Event, victims []platform.Server) error {
	switch e.Verb.Words() {
	case uncordonNode:
		return k.uncordonAll(ctx, e.Undoes)
	case drainNode:
		nodes, err := k.nodesOf(ctx, e, victims)
		if err != nil {
			return err
		}
		for _, name := range nodes {
			if err := k.cordon(ctx, name, e); err != nil {
				return err
			}
		}
	}
	return eachVictim(victims, func(p *process) error { return p.suffer(ctx, e.Verb.Words()) })
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
func (k *Kubernetes) cordon(ctx context.Context, name string, by event.Event) error {
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
func (k *Kubernetes) uncordonAll(ctx context.Context, by func(event.Event) bool) error {
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

func (k *Kubernetes) drainedBy(some func(event.Event) bool) (names []string) {
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

func anyFault(event.Event) bool { return true }

// Repair implements platform.Actor.
func (k *Kubernetes) Repair(ctx context.Context) (done []string, err error) {
	for _, name := range k.drainedBy(anyFault) {
		done = append(done, "uncordon node "+name)
	}
	return done, k.uncordonAll(ctx, anyFault)
}

// Healthy implements platform.Actor.
func (k *Kubernetes) Healthy(context.Context) (bool, error) {
	return len(k.drainedBy(anyFault)) == 0, nil
}
