package fakekubelet

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pod is one that a node has.
type pod struct {
	*Kubelets
	object  *corev1.Pod
	address string
	began   metav1.Time

	ending chan struct{} // closed when it is to be deleted
	grace  time.Duration // valid then
	once   sync.Once

	mu         sync.Mutex
	containers []*container
	mounts     []string
}

func newPod(k *Kubelets, object *corev1.Pod, address string) *pod {
	return &pod{Kubelets: k, object: object, address: address, began: metav1.Now(), ending: make(chan struct{})}
}

func (p *pod) dir(parts ...string) string {
	return filepath.Join(append([]string{p.Directory, string(p.object.UID)}, parts...)...)
}

// end begins the deletion of the pod.
func (p *pod) end(grace time.Duration) {
	p.once.Do(func() {
		p.grace = grace
		close(p.ending)
	})
}

// live runs the pod from its start to its deletion.
func (p *pod) live(ctx context.Context) {
	p.run(ctx)
	select {
	case <-p.ending:
	case <-ctx.Done():
		return // the mounts end with the node
	}
	p.remove()
	now := int64(0)
	// One that was deleted by force is not there any more.
	_ = p.client.CoreV1().Pods(p.object.Namespace).Delete(ctx, p.object.Name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &p.object.UID}})
}

// run runs the containers until they have ended, and says how they do.
func (p *pod) run(ctx context.Context) {
	if err := p.prepare(ctx); err != nil {
		p.report(ctx, corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Simulated", Message: err.Error()})
		return
	}
	for _, c := range p.mains() {
		c.start()
	}
	p.report(ctx, p.status())
	stop := context.AfterFunc(ctx, func() { p.end(0) })
	defer stop()
	for _, c := range p.mains() {
		select {
		case <-c.ended:
		case <-p.ending:
			c.stop(p.grace)
		}
	}
	p.report(ctx, p.status())
}

// isReal reports whether the pod's containers are run, rather than only said to run.
func (p *pod) isReal() bool {
	for _, c := range p.object.Spec.Containers {
		if c.Image != p.Image && c.Image != p.Empty {
			return false
		}
	}
	return true
}

// prepare makes the files of the containers, which those that come first may add to.
func (p *pod) prepare(ctx context.Context) error {
	real := p.isReal()
	if real {
		if err := p.makeVolumes(ctx); err != nil {
			return err
		}
		if err := p.initialise(ctx); err != nil {
			return err
		}
	}
	for i := range p.object.Spec.Containers {
		c := p.newContainer(&p.object.Spec.Containers[i])
		if real {
			if err := c.makeRoot(); err != nil {
				return err
			}
		}
		p.mu.Lock()
		p.containers = append(p.containers, c)
		p.mu.Unlock()
	}
	return nil
}

// initialise runs the containers that come first, one after the other.
func (p *pod) initialise(ctx context.Context) error {
	for i := range p.object.Spec.InitContainers {
		c := p.newContainer(&p.object.Spec.InitContainers[i])
		if c.spec.Image != p.Image {
			continue
		}
		if err := c.makeRoot(); err != nil {
			return err
		}
		c.start()
		select {
		case <-c.ended:
		case <-p.ending:
			c.stop(p.grace)
		}
		if c.code != 0 {
			return errors.New("the init container " + c.spec.Name + " failed: " + c.message())
		}
	}
	return ctx.Err()
}

func (p *pod) mains() []*container {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.containers
}

// container gives one by name, or the only one.
func (p *pod) container(name string) *container {
	for _, c := range p.mains() {
		if c.spec.Name == name || name == "" {
			return c
		}
	}
	return nil
}

// status is what the kubelet says of the pod.
func (p *pod) status() corev1.PodStatus {
	s := corev1.PodStatus{Phase: corev1.PodSucceeded, StartTime: &p.began, PodIP: p.address, PodIPs: []corev1.PodIP{{IP: p.address}}, HostIP: p.Address}
	ready := corev1.ConditionTrue
	for _, c := range p.mains() {
		one := c.status()
		s.ContainerStatuses = append(s.ContainerStatuses, one)
		switch ended := one.State.Terminated; {
		case ended == nil:
			s.Phase = corev1.PodRunning
		case ended.ExitCode != 0 && s.Phase == corev1.PodSucceeded:
			s.Phase = corev1.PodFailed
		}
		if !one.Ready {
			ready = corev1.ConditionFalse
		}
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: kind, Status: ready, LastTransitionTime: metav1.Now()})
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.PodScheduled} {
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: p.began})
	}
	return s
}

func (p *pod) report(ctx context.Context, s corev1.PodStatus) {
	patch, err := json.Marshal(map[string]any{"status": s, "metadata": map[string]any{"uid": p.object.UID}})
	if err != nil {
		return // it is plain text and numbers
	}
	for range 10 { // the API server may be restarting
		_, err = p.client.CoreV1().Pods(p.object.Namespace).Patch(ctx, p.object.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		if err == nil || isGone(err) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}
