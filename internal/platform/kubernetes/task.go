package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
)

// tasks runs tasks in pods, each in one of its own.
type tasks struct {
	k *Kubernetes

	mu     sync.Mutex
	serial int
	all    map[string]*running // by name; nil before it runs
	places map[string]*place   // of tasks that have not begun, by name
}

func newTasks(k *Kubernetes) *tasks {
	return &tasks{k: k, all: map[string]*running{}, places: map[string]*place{}}
}

// place is a pod that waits for its task.
type place struct {
	pod  *corev1.Pod
	link *link
}

// spot says where a task runs that does not run just anywhere.
type spot struct {
	image string // into which Plimsoll is brought; Plimsoll's own when empty
	node  string // any when empty
}

// taskOn starts a task on a node.
func (k *Kubernetes) taskOn(ctx context.Context, t platform.Task, node string) (platform.Running, error) {
	return k.taskAt(ctx, t, spot{node: node})
}

func (k *Kubernetes) taskAt(ctx context.Context, t platform.Task, at spot) (platform.Running, error) {
	r, err := k.tasks.begin(ctx, t, at)
	if err != nil {
		return nil, err // and not a task that is nil
	}
	return r, nil
}

// Task starts a task in the place that was reserved for it, or else in a new one.
func (k *Kubernetes) Task(ctx context.Context, t platform.Task) (platform.Running, error) {
	return k.taskAt(ctx, t, spot{})
}

// Reserve makes the pods of tasks, all at once.
func (k *Kubernetes) Reserve(ctx context.Context, all []platform.Task) (release func(context.Context) error, err error) {
	return k.tasks.reserve(ctx, all)
}

// placesAtOnce bounds how many pods are being waited for at a time; calls are
// limited by the client.
const placesAtOnce = 32

func (a *tasks) reserve(ctx context.Context, all []platform.Task) (release func(context.Context) error, err error) {
	began := time.Now()
	var taken []string
	release = func(ctx context.Context) error {
		names := taken
		taken = nil // a second time there is nothing to give up
		return a.release(ctx, names)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(placesAtOnce)
	for _, t := range all {
		if err := a.enlist(t.Name); err != nil {
			return nil, errors.Join(err, group.Wait(), release(ctx))
		}
		taken = append(taken, t.Name)
		group.Go(func() error {
			made, err := a.place(groupCtx, t, spot{})
			a.mu.Lock()
			defer a.mu.Unlock()
			if err == nil {
				a.places[t.Name] = made
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, release(ctx))
	}
	a.k.env.Log.Debug("places of tasks are ready", "count", len(all), "after", time.Since(began))
	return release, nil
}

// release deletes the pods whose tasks have not begun.
func (a *tasks) release(ctx context.Context, names []string) error {
	var errs []error
	for _, name := range names {
		a.mu.Lock()
		unused := a.places[name]
		delete(a.places, name)
		if a.all[name] == nil { // no task has taken it
			delete(a.all, name)
		}
		a.mu.Unlock()
		if unused != nil {
			unused.link.close()
			errs = append(errs, a.k.client.Delete(context.WithoutCancel(ctx), unused.pod, 0))
		}
	}
	return errors.Join(errs...)
}

// enlist keeps a name for one task at a time: nil until there is one.
func (a *tasks) enlist(name string) error {
	if name == "" || name != filepath.Base(name) || api.LabelValue(name) == "" || containsControl(name) {
		return fmt.Errorf("%q is not a valid name of a task", name)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, there := a.all[name]; there {
		return fmt.Errorf("a task %s is there already", name)
	}
	a.all[name] = nil
	return nil
}

func containsControl(name string) bool {
	return name == "." || name == ".." || slices.ContainsFunc([]rune(name), func(r rune) bool { return r < ' ' || r == 0x7f })
}

// place makes the pod of a task and connects to it.
func (a *tasks) place(ctx context.Context, t platform.Task, at spot) (*place, error) {
	a.mu.Lock()
	a.serial++
	serial := a.serial
	a.mu.Unlock()
	pod, err := a.k.taskPod(t, at, serial)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", t.Name, err)
	}
	p, err := a.placeIn(ctx, pod)
	if err != nil {
		err = fmt.Errorf("start %s: %w", t.Name, err)
		return nil, errors.Join(err, a.k.client.Delete(context.WithoutCancel(ctx), pod, 0))
	}
	return p, nil
}

func (a *tasks) placeIn(ctx context.Context, pod *corev1.Pod) (*place, error) {
	if err := a.k.client.Apply(ctx, pod); err != nil {
		return nil, err
	}
	now, err := a.k.pods.AwaitRunning(ctx, pod.Name, pod.UID, taskContainer)
	if err != nil {
		return nil, err
	}
	if end := api.Ended(now, taskContainer); end != nil || now.Status.Phase == corev1.PodFailed {
		what, _ := reason(now)
		return nil, fmt.Errorf("its pod ended at once: %s%s", what, a.k.client.Why(ctx, now))
	}
	l, err := a.connect(ctx, pod)
	if err != nil {
		return nil, err
	}
	return &place{pod: pod, link: l}, nil
}

// begin has a task done in its place, which is made now unless it was reserved.
func (a *tasks) begin(ctx context.Context, t platform.Task, at spot) (*running, error) {
	a.mu.Lock()
	in := a.places[t.Name]
	delete(a.places, t.Name)
	a.mu.Unlock()
	if in == nil {
		if err := a.enlist(t.Name); err != nil {
			return nil, err
		}
		var err error
		if in, err = a.place(ctx, t, at); err != nil {
			a.forget(t.Name)
			return nil, err
		}
	}
	r, err := newRunning(a, t, in.pod)
	if err != nil {
		in.link.close()
		a.forget(t.Name)
		return nil, errors.Join(err, a.k.client.Delete(context.WithoutCancel(ctx), in.pod, 0))
	}
	a.mu.Lock()
	a.all[t.Name] = r
	a.mu.Unlock()
	go r.run(in.link)
	return r, nil
}

func (a *tasks) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, name)
}

// close kills what still runs and removes all pods, at once.
func (a *tasks) close(ctx context.Context) error {
	a.mu.Lock()
	names := slices.Collect(maps.Keys(a.places))
	var left []*running
	for _, r := range a.all {
		if r != nil {
			left = append(left, r)
		}
	}
	a.mu.Unlock()
	errs := make([]error, len(left))
	var wait sync.WaitGroup
	for n, r := range left {
		wait.Go(func() { errs[n] = errors.Join(r.Kill(), r.Remove(ctx)) })
	}
	wait.Wait()
	return errors.Join(a.release(ctx, names), errors.Join(errs...))
}
