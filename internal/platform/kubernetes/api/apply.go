package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Object is one of any kind; of those whose types scheme knows, the kind need not be
// filled in.
type Object interface {
	metav1.Object
	runtime.Object
}

// Apply creates or updates an object by server-side apply. It fills in the object's UID.
func (c *Client) Apply(ctx context.Context, o Object) error {
	kind, err := kindOf(o)
	if err != nil {
		return err
	}
	o.GetObjectKind().SetGroupVersionKind(kind)
	body, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("apply %s: %w", title(kind, o), err)
	}
	resource, err := c.resource(ctx, kind, o.GetNamespace())
	if err != nil {
		return fmt.Errorf("apply %s: %w", title(kind, o), err)
	}
	force := true
	made, err := resource.Patch(ctx, o.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: Manager, Force: &force})
	if err != nil {
		return fmt.Errorf("apply %s: %w", title(kind, o), Explained(err))
	}
	o.SetUID(made.GetUID())
	return nil
}

// kindOf is the kind of an object, as the object says, or else of its Go type.
func kindOf(o Object) (schema.GroupVersionKind, error) {
	if kind := o.GetObjectKind().GroupVersionKind(); kind.Kind != "" {
		return kind, nil
	}
	kinds, _, err := scheme.ObjectKinds(o)
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("find the kind of %s: %w", o.GetName(), err)
	}
	return kinds[0], nil
}

func title(kind schema.GroupVersionKind, o metav1.Object) string {
	name := strings.ToLower(kind.Kind) + " " + o.GetName()
	if o.GetNamespace() != "" {
		name += " in namespace " + o.GetNamespace()
	}
	return name
}

// resource gives the calls for a kind of object. Every cluster has those that scheme knows;
// the API server is asked for any other.
func (c *Client) resource(ctx context.Context, kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	if scheme.Recognizes(kind) {
		return c.builtIn(kind, namespace), nil
	}
	var served metav1.APIResourceList
	err := c.core.Get().AbsPath("/apis", kind.Group, kind.Version).Do(ctx).Into(&served)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	for _, r := range served.APIResources {
		if r.Kind != kind.Kind || strings.Contains(r.Name, "/") { // a part of one has its kind
			continue
		}
		if !r.Namespaced {
			namespace = ""
		}
		return c.dynamic.Resource(kind.GroupVersion().WithResource(r.Name)).Namespace(namespace), nil
	}
	return nil, fmt.Errorf("this cluster has no objects of kind %s (%s): %w", kind.Kind, kind.GroupVersion(),
		&meta.NoKindMatchError{GroupKind: kind.GroupKind(), SearchedVersions: []string{kind.Version}})
}

// builtIn gives the calls for a kind that scheme knows: the plurals of those are regular.
func (c *Client) builtIn(kind schema.GroupVersionKind, namespace string) dynamic.ResourceInterface {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return c.dynamic.Resource(resource).Namespace(namespace)
}

// Explained adds to a refusal of the API server what can be done about it.
func Explained(err error) error {
	if !apierrors.IsForbidden(err) {
		return err
	}
	var status apierrors.APIStatus
	errors.As(err, &status)
	text := status.Status().Message
	switch {
	case strings.Contains(text, "exceeded quota"), strings.Contains(text, "failed quota"):
		return fmt.Errorf("%w: the namespace's ResourceQuota is exceeded: ask for less (fewer instances, smaller limits), or have it raised", err)
	case strings.Contains(text, "violates PodSecurity"):
		return fmt.Errorf("%w: the namespace's pod security level forbids it", err)
	case strings.Contains(text, "because it is being terminated"):
		return fmt.Errorf("%w: the namespace is being deleted, as plimsoll clean does", err)
	}
	return fmt.Errorf("%w: the account lacks this permission; see docs/platform-kubernetes.md for those that Plimsoll needs", err)
}
