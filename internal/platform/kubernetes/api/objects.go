package api

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/dynamic"
)

// scheme knows the types of the API groups in use. client-go's own scheme compiles every
// version of every group: 57 packages.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		authorizationv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}

// Objects reads and changes the objects of a type in a namespace.
type Objects[T any] struct {
	kind     schema.GroupVersionKind
	resource dynamic.ResourceInterface
}

// Of gives the objects of a type in a namespace; of all namespaces, or of a type that has
// none, where it is empty. It panics for a type of an API group that scheme lacks.
func Of[T any, P interface {
	*T
	Object
}](c *Client, namespace string) Objects[T] {
	kind, err := kindOf(P(new(T)))
	utilruntime.Must(err)
	return Objects[T]{kind: kind, resource: c.builtIn(kind, namespace)}
}

// Get reads one.
func (o Objects[T]) Get(ctx context.Context, name string) (*T, error) {
	found, err := o.resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return typed[T](found)
}

// List reads all that the options select, page by page.
func (o Objects[T]) List(ctx context.Context, options metav1.ListOptions) ([]T, error) {
	found, err := pages(ctx, options, o.resource.List)
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(found))
	for i := range found {
		one, err := typed[T](&found[i])
		if err != nil {
			return nil, err
		}
		all = append(all, *one)
	}
	return all, nil
}

// Create makes one and gives it as the API server answered.
func (o Objects[T]) Create(ctx context.Context, one *T) (*T, error) {
	body, err := untyped(one, o.kind)
	if err != nil {
		return nil, err
	}
	made, err := o.resource.Create(ctx, body, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return typed[T](made)
}

// Merge changes one by a JSON merge patch.
func (o Objects[T]) Merge(ctx context.Context, name string, patch []byte) error {
	_, err := o.resource.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
	return err
}

func typed[T any](from *unstructured.Unstructured) (*T, error) {
	into := new(T)
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, into)
}

func untyped(from any, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
	if err != nil {
		return nil, err
	}
	into := &unstructured.Unstructured{Object: fields}
	into.SetGroupVersionKind(kind)
	return into, nil
}
