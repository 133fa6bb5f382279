package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Pods follows the pods of a selector in a namespace: one watch for all of them,
// which is opened again whenever it breaks.
type Pods struct {
	client *Client
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	now     map[string]*corev1.Pod
	changed map[string]chan struct{} // closed at the next change
	gone    map[types.UID]bool       // those that were there
}

// Follow begins to follow pods, and returns once it knows those that there are.
func (c *Client) Follow(ctx context.Context, namespace, selector string) (*Pods, error) {
	own, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Pods{client: c, stop: stop, now: map[string]*corev1.Pod{}, changed: map[string]chan struct{}{}, gone: map[types.UID]bool{}}
	informer := cache.NewSharedInformer(listWatch(Of[corev1.Pod](c, namespace).resource, metav1.ListOptions{LabelSelector: selector}), &unstructured.Unstructured{}, 0)
	refused := make(chan error, 1)
	_ = informer.SetTransform(asPod) // it has not started, so neither this nor the next gives an error
	_ = informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		select {
		case refused <- err:
		default:
		}
	})
	handled, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { p.set(o.(*corev1.Pod)) },
		UpdateFunc: func(_, o any) { p.set(o.(*corev1.Pod)) },
		DeleteFunc: func(o any) { p.remove(o) },
	})
	if err != nil {
		stop()
		return nil, err
	}
	p.done.Go(func() { informer.Run(own.Done()) })
	if err := awaitSync(ctx, handled.HasSynced, refused); err != nil {
		p.Close()
		return nil, fmt.Errorf("watch the pods of namespace %s: %w", namespace, Explained(err))
	}
	return p, nil
}

// asPod converts a listed or watched object to a pod. An object that cannot be read fails
// the list.
func asPod(o any) (any, error) {
	if found, ok := o.(*unstructured.Unstructured); ok {
		return typed[corev1.Pod](found)
	}
	return o, nil
}

// awaitSync waits for the first list; what a watch meets later mends itself.
func awaitSync(ctx context.Context, synced func() bool, refused <-chan error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !synced() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-refused:
			return err
		case <-tick.C:
		}
	}
	return nil
}

// Close ends it; who waits goes on waiting for its own context.
func (p *Pods) Close() {
	p.stop()
	p.done.Wait()
}

func (p *Pods) set(pod *corev1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.now[pod.Name]; before != nil && before.UID != pod.UID { // made anew while nobody watched
		p.gone[before.UID] = true
	}
	p.now[pod.Name] = pod
	p.notify(pod.Name)
}

func (p *Pods) remove(o any) {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.now, pod.Name)
	p.gone[pod.UID] = true
	p.notify(pod.Name)
}

// notify wakes who waits for a change. The caller holds mu.
func (p *Pods) notify(name string) {
	if c := p.changed[name]; c != nil {
		close(c)
		delete(p.changed, name)
	}
}

// Get is a pod as it was last seen, nil when there is none. It must not be changed.
func (p *Pods) Get(name string) *corev1.Pod {
	pod, _ := p.look(name)
	return pod
}

// All are the pods that there are.
func (p *Pods) All() []*corev1.Pod {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*corev1.Pod
	for _, pod := range p.now {
		all = append(all, pod)
	}
	return all
}

func (p *Pods) look(name string) (*corev1.Pod, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed[name] == nil {
		p.changed[name] = make(chan struct{})
	}
	return p.now[name], p.changed[name]
}

func (p *Pods) isGone(uid types.UID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone[uid]
}

// ErrGone reports that a pod was deleted, though not by this run. Whatever ran in it ends
// with this message, whoever notices first.
var ErrGone = errors.New("its pod was deleted from outside")

// Await waits until a pod, which was just applied and has this UID, is as until
// says, and gives it. When it is deleted the error wraps ErrGone, and the pod is as
// it was last seen; nil where it was not.
func (p *Pods) Await(ctx context.Context, name string, uid types.UID, until func(*corev1.Pod) (bool, error)) (*corev1.Pod, error) {
	var last *corev1.Pod
	for {
		pod, changed := p.look(name)
		switch {
		case pod != nil && pod.UID == uid:
			last = pod
			if done, err := until(pod); done || err != nil {
				return pod, err
			}
		case last != nil || p.isGone(uid): // it may have come and gone before anybody waited
			return last, fmt.Errorf("pod %s: %w", name, ErrGone)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return last, ctx.Err()
		}
	}
}

// AwaitGone waits until a pod that was applied is not there any more.
func (p *Pods) AwaitGone(ctx context.Context, name string, uid types.UID) error {
	for {
		pod, changed := p.look(name)
		if pod == nil || pod.UID != uid {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("pod %s is still there: %w", name, ctx.Err())
		}
	}
}

// unschedulableLimit is how long a pod may be without a node: pods of an earlier trial may
// still be ending, and volumes may not exist yet.
const unschedulableLimit = time.Minute

// AwaitRunning waits until a container of a pod runs, or has ended. What waiting
// longer does not change ends it at once, and any failure says what keeps the pod
// from coming up.
func (p *Pods) AwaitRunning(ctx context.Context, name string, uid types.UID, container string) (*corev1.Pod, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tooLong := time.AfterFunc(unschedulableLimit, func() {
		if _, homeless := unschedulable(p.Get(name)); homeless {
			cancel(errUnschedulable)
		}
	})
	defer tooLong.Stop()
	pod, err := p.Await(ctx, name, uid, func(pod *corev1.Pod) (bool, error) {
		if _, homeless := unschedulable(pod); !homeless && pod.Spec.NodeName == "" {
			tooLong.Reset(unschedulableLimit)
		}
		status := ContainerStatus(pod, container)
		if status != nil && (status.State.Running != nil || status.State.Terminated != nil) {
			return true, nil
		}
		return pod.Status.Phase == corev1.PodFailed, hopeless(pod)
	})
	if err == nil {
		return pod, nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return pod, p.client.whyNotUp(ctx, name, pod, err)
}
