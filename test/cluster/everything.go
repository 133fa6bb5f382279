package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
)

// ownAccord are the kinds whose objects Kubernetes makes and removes of its own
// accord: they come and go while nobody does anything.
var ownAccord = []string{"events", "leases", "endpoints", "endpointslices", "componentstatuses"}

// Everything lists all objects of every kind, such as "pods default/db-0", except those that
// Kubernetes creates by itself. A deleted object may stay in the list for a while, because
// Kubernetes removes its dependents afterwards.
func (c *Cluster) Everything(ctx context.Context) ([]string, error) {
	config, err := c.Config()
	if err != nil {
		return nil, err
	}
	names, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, err := names.ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("list the kinds of objects: %w", err)
	}
	var all []string
	var errs []error
	for _, kind := range listable(kinds) {
		found, err := client.Resource(kind).List(ctx, metav1.ListOptions{})
		if err != nil {
			errs = append(errs, fmt.Errorf("list %s: %w", kind.GroupResource(), err))
			continue
		}
		for _, object := range found.Items {
			all = append(all, kind.GroupResource().String()+" "+strings.TrimPrefix(object.Namespace+"/"+object.Name, "/"))
		}
	}
	slices.Sort(all)
	return all, errors.Join(errs...)
}

func listable(kinds []*metav1.APIResourceList) (all []schema.GroupVersionResource) {
	for _, group := range kinds {
		version, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			continue // the server's own names are well-formed
		}
		for _, kind := range group.APIResources {
			if slices.Contains(kind.Verbs, "list") && !slices.Contains(ownAccord, kind.Name) {
				all = append(all, version.WithResource(kind.Name))
			}
		}
	}
	return all
}
