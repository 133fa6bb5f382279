package api

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// pageSize is how many objects of a list are asked for at once: a server that gives
// thousands in one answer keeps all of them in memory for it.
const pageSize = 500

// ErrEndless reports that a server answered with a page of a list that it had given before.
var ErrEndless = errors.New("the list never ends")

// mostEmpty is how many pages of a list may follow each other that have nothing.
const mostEmpty = 100

// pages lists objects page by page. When the server has forgotten the list meanwhile, it
// is asked again for all at once.
func pages(ctx context.Context, o metav1.ListOptions, list func(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error)) (all []unstructured.Unstructured, err error) {
	asked, empty := map[string]bool{}, 0
	for o.Limit = pageSize; ; {
		page, err := list(ctx, o)
		if apierrors.IsResourceExpired(err) && o.Continue != "" && o.Limit > 0 {
			all, o.Continue, o.Limit = nil, "", 0
			continue
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); len(page.Items) > 0 {
			empty = 0
		}
		if o.Continue = page.GetContinue(); o.Continue == "" {
			return all, nil
		}
		if empty++; asked[o.Continue] || empty > mostEmpty {
			return nil, fmt.Errorf("%w: after %d objects the API server gives a page again, or pages with nothing", ErrEndless, len(all))
		}
		asked[o.Continue] = true
	}
}

// Nodes are those with some labels, which may be none; the error is the API's.
func (c *Client) Nodes(ctx context.Context, selector string) ([]corev1.Node, error) {
	return Of[corev1.Node](c, "").List(ctx, metav1.ListOptions{LabelSelector: selector})
}

// List gives the objects of a kind that carry labels, in a namespace. There are none of a
// kind that the cluster does not know.
func (c *Client) List(ctx context.Context, kind schema.GroupVersionKind, namespace, selector string) ([]unstructured.Unstructured, error) {
	resource, err := c.resource(ctx, kind, namespace)
	if noKind := (*meta.NoKindMatchError)(nil); errors.As(err, &noKind) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := pages(ctx, metav1.ListOptions{LabelSelector: selector}, resource.List)
	if err != nil {
		return nil, fmt.Errorf("list the %ss in namespace %s: %w", strings.ToLower(kind.Kind), namespace, Explained(err))
	}
	return found, nil
}
