package kube

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// List gives the objects of a kind that carry labels, in a namespace. Of a kind that
// the cluster does not know there is none.
func (c *Client) List(ctx context.Context, kind schema.GroupVersionKind, namespace, selector string) ([]unstructured.Unstructured, error) {
	resource, err := c.resource(kind, namespace)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("list the %ss in namespace %s: %w", strings.ToLower(kind.Kind), namespace, Explained(err))
	}
	return list.Items, nil
}
