package api

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// Delete asks for an object's deletion, if it is there. grace, where it is not
// negative, is how long a pod may take to end. It does not wait; see AwaitGone.
func (c *Client) Delete(ctx context.Context, o Object, grace time.Duration) error {
	kind, err := kindOf(o)
	if err != nil {
		return err
	}
	resource, err := c.resource(ctx, kind, o.GetNamespace())
	if err != nil {
		return fmt.Errorf("delete %s: %w", title(kind, o), err)
	}
	err = resource.Delete(ctx, o.GetName(), deletion(o, grace))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // a conflict is another object of the name
		return fmt.Errorf("delete %s: %w", title(kind, o), Explained(err))
	}
	return nil
}

// deletion of an object that was applied deletes no other of its name.
func deletion(o Object, grace time.Duration) metav1.DeleteOptions {
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &background}
	if uid := o.GetUID(); uid != "" {
		options.Preconditions = metav1.NewUIDPreconditions(string(uid))
	}
	if grace >= 0 {
		seconds := int64((grace + time.Second - 1) / time.Second)
		options.GracePeriodSeconds = &seconds
	}
	return options
}

// AwaitGone waits until an object is not there any more, or another of its name is.
func (c *Client) AwaitGone(ctx context.Context, o Object) error {
	kind, err := kindOf(o)
	if err != nil {
		return err
	}
	resource, err := c.resource(ctx, kind, o.GetNamespace())
	if err != nil {
		return err
	}
	// The store of the first list tells one that is gone already.
	gone := func(store cache.Store) (bool, error) { return len(store.List()) == 0, nil }
	_, err = watchtools.UntilWithSync(ctx, listWatch(resource, named(o.GetName())), &unstructured.Unstructured{}, gone, func(e watch.Event) (bool, error) {
		now, ok := e.Object.(metav1.Object)
		return e.Type == watch.Deleted || ok && o.GetUID() != "" && now.GetUID() != o.GetUID(), nil
	})
	if err != nil {
		return fmt.Errorf("%s is still there: %w%s", title(kind, o), err, c.holdUp(ctx, resource, o))
	}
	return nil
}

// AwaitState waits until an object that was applied is as until says, and fails when it
// is deleted.
func (c *Client) AwaitState(ctx context.Context, o Object, until func(*unstructured.Unstructured) (bool, error)) error {
	kind, err := kindOf(o)
	if err != nil {
		return err
	}
	resource, err := c.resource(ctx, kind, o.GetNamespace())
	if err != nil {
		return err
	}
	_, err = watchtools.UntilWithSync(ctx, listWatch(resource, named(o.GetName())), &unstructured.Unstructured{}, nil, func(e watch.Event) (bool, error) {
		now, ok := e.Object.(*unstructured.Unstructured)
		switch {
		case !ok || now.GetUID() != o.GetUID():
			return false, nil
		case e.Type == watch.Deleted:
			return false, fmt.Errorf("%s was deleted", title(kind, o))
		}
		return until(now)
	})
	return err
}

func named(name string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
}

// listWatch lists and watches what the selectors of options choose.
func listWatch(resource dynamic.ResourceInterface, only metav1.ListOptions) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector, o.FieldSelector = only.LabelSelector, only.FieldSelector
			return resource.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector, o.FieldSelector = only.LabelSelector, only.FieldSelector
			return resource.Watch(ctx, o)
		},
	}
}

// holdUp is why an object does not go away, by its own status.
func (c *Client) holdUp(ctx context.Context, resource dynamic.ResourceInterface, o Object) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	now, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil {
		return ""
	}
	text := ""
	if held := now.GetFinalizers(); len(held) > 0 {
		text = fmt.Sprintf("; its finalizers are %v", held)
	}
	conditions, _, _ := unstructured.NestedSlice(now.Object, "status", "conditions")
	for _, one := range conditions {
		if c, ok := one.(map[string]any); ok && c["status"] == "True" {
			text += fmt.Sprintf("; %v", c["message"])
		}
	}
	return text
}

// evictPause is the time between two tries to evict a pod that a disruption budget
// keeps.
const evictPause = time.Second

// Evict asks for a pod's eviction, as a drained node does: a budget for disruptions
// may keep it for a while. Like Delete, it does not wait for the pod's end.
func (c *Client) Evict(ctx context.Context, pod *corev1.Pod, grace time.Duration) error {
	options := deletion(pod, grace)
	eviction := &policyv1.Eviction{DeleteOptions: &options}
	eviction.Name, eviction.Namespace = pod.Name, pod.Namespace
	body, err := untyped(eviction, policyv1.SchemeGroupVersion.WithKind("Eviction"))
	if err != nil {
		return fmt.Errorf("evict pod %s: %w", pod.Name, err)
	}
	pods := Of[corev1.Pod](c, pod.Namespace).resource
	for {
		_, err := pods.Create(ctx, body, metav1.CreateOptions{}, "eviction")
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil
		}
		if !apierrors.IsTooManyRequests(err) {
			return fmt.Errorf("evict pod %s: %w", pod.Name, Explained(err))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("evict pod %s: %w", pod.Name, err)
		case <-time.After(evictPause):
		}
	}
}
