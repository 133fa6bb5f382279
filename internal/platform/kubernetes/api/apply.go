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
	"k8s.io/client-go/kubernetes/scheme"
)

// Object is one of any kind; of those that client-go has types for, the kind need
// not be filled in.
type Object interface {
	metav1.Object
	runtime.Object
}

// Apply makes an object or changes it to what is given, by server-side apply. It
// fills in the object's UID.
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
	resource, err := c.resource(kind, o.GetNamespace())
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

// kindOf is the kind of an object, its own or that of its type.
func kindOf(o Object) (schema.GroupVersionKind, error) {
	if kind := o.GetObjectKind().GroupVersionKind(); kind.Kind != "" {
		return kind, nil
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
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

// resource gives the calls for a kind of object.
func (c *Client) resource(kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("this cluster has no objects of kind %s (%s): %w", kind.Kind, kind.GroupVersion(), err)
	}
	if err != nil {
		return nil, err
	}
	of := c.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return of.Namespace(namespace), nil
	}
	return of, nil
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
