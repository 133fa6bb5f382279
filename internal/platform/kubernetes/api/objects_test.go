package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// serving is a client of an API server that answers by path, and with 404 else; paths
// are those it was asked for.
func serving(t *testing.T, answers map[string]any) (c *Client, paths map[string]int) {
	t.Helper()
	paths = map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths[r.URL.Path]++
		w.Header().Set("Content-Type", "application/json")
		answer, has := answers[r.URL.Path]
		if !has {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	c, err := newClient(&rest.Config{Host: server.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, paths
}

// The path of each type matches the API reference of Kubernetes.
func TestPathsOfTypes(t *testing.T) {
	c, paths := serving(t, nil)
	for path, ask := range map[string]func() error{
		"/api/v1/namespaces/n/pods/x":                   func() error { _, err := Of[corev1.Pod](c, "n").Get(t.Context(), "x"); return err },
		"/api/v1/nodes/x":                               func() error { _, err := Of[corev1.Node](c, "").Get(t.Context(), "x"); return err },
		"/api/v1/namespaces/n/persistentvolumeclaims/x": func() error { _, err := Of[corev1.PersistentVolumeClaim](c, "n").Get(t.Context(), "x"); return err },
		"/apis/batch/v1/namespaces/n/jobs/x":            func() error { _, err := Of[batchv1.Job](c, "n").Get(t.Context(), "x"); return err },
		"/apis/storage.k8s.io/v1/storageclasses/x":      func() error { _, err := Of[storagev1.StorageClass](c, "").Get(t.Context(), "x"); return err },
		"/apis/storage.k8s.io/v1/csistoragecapacities": func() error {
			_, err := Of[storagev1.CSIStorageCapacity](c, "").List(t.Context(), metav1.ListOptions{})
			return err
		},
		"/apis/scheduling.k8s.io/v1/priorityclasses/x": func() error { _, err := Of[schedulingv1.PriorityClass](c, "").Get(t.Context(), "x"); return err },
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": func() error {
			_, err := Of[authorizationv1.SelfSubjectAccessReview](c, "").Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{})
			return err
		},
	} {
		if err := ask(); !apierrors.IsNotFound(err) || paths[path] != 1 {
			t.Errorf("%s: asked for %v, %v", path, paths, err)
		}
		clear(paths)
	}
}

// A kind of a group that a cluster need not have is asked for, and has none where it is
// not served; what the account may not do stays an error.
func TestKindsThatAClusterNeedNotHave(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "snapshot.storage.k8s.io", Version: "v1", Kind: "VolumeSnapshot"}
	served := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, APIResources: []metav1.APIResource{
		{Name: "volumesnapshots/status", Kind: "VolumeSnapshot", Namespaced: true}, {Name: "volumesnapshots", Kind: "VolumeSnapshot", Namespaced: true},
	}}
	group := "/apis/snapshot.storage.k8s.io/v1"
	for name, c := range map[string]struct {
		answers map[string]any
		names   int
		fails   bool
	}{
		"no such group": {nil, 0, false},
		"no such kind":  {map[string]any{group: metav1.APIResourceList{TypeMeta: served.TypeMeta}}, 0, false},
		"one":           {map[string]any{group: served, group + "/namespaces/n/volumesnapshots": map[string]any{"kind": "VolumeSnapshotList", "apiVersion": "v1", "items": []any{map[string]any{"metadata": map[string]any{"name": "x"}}}}}, 1, false},
		"not shown":     {map[string]any{group: served}, 0, true},
	} {
		client, _ := serving(t, c.answers)
		found, err := client.List(t.Context(), kind, "n", "")
		if (err != nil) != c.fails || len(found) != c.names {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	client, _ := serving(t, nil)
	o := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: kind.Kind, APIVersion: kind.GroupVersion().String()}, ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "n"}}
	err := client.Apply(t.Context(), o)
	if noKind := (*meta.NoKindMatchError)(nil); !errors.As(err, &noKind) || !strings.Contains(err.Error(), "this cluster has no objects of kind VolumeSnapshot") {
		t.Errorf("applied: %v", err)
	}
}

// A group is found by its own path: who may not list the groups need not.
func TestHasGroup(t *testing.T) {
	c, _ := serving(t, map[string]any{"/apis/security.example": metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: "security.example"}})
	for name, want := range map[string]bool{"security.example": true, "security": false} {
		if has, err := c.HasGroup(t.Context(), name); has != want || err != nil {
			t.Errorf("%s: %v, %v", name, has, err)
		}
	}
}
