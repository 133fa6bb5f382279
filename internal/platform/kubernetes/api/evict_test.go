package api

import (
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"
)

// An eviction that a disruption budget keeps is asked for again, of this pod alone.
func TestEvictWaitsForABudget(t *testing.T) {
	set := fake.NewSimpleDynamicClient(scheme)
	asked := 0
	set.PrependReactor("create", "pods/eviction", func(a k8stesting.Action) (bool, runtime.Object, error) {
		asked++
		eviction, err := typed[policyv1.Eviction](a.(k8stesting.CreateAction).GetObject().(*unstructured.Unstructured))
		if err != nil {
			t.Fatal(err)
		}
		if eviction.Name != "one" || *eviction.DeleteOptions.Preconditions.UID != "uid of one" || *eviction.DeleteOptions.GracePeriodSeconds != 3 {
			t.Errorf("asked for %+v", eviction)
		}
		if asked == 1 {
			return true, nil, apierrors.NewTooManyRequests("a budget says so", 0)
		}
		return true, nil, nil
	})
	if err := (&Client{dynamic: set}).Evict(t.Context(), pod("one"), 3e9); err != nil || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}
