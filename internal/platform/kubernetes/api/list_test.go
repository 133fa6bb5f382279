package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// listed is a page with objects of some names, which next follows.
func listed(next string, names ...string) *unstructured.UnstructuredList {
	page := &unstructured.UnstructuredList{Object: map[string]any{}, Items: make([]unstructured.Unstructured, len(names))}
	page.SetContinue(next)
	for i, name := range names {
		page.Items[i].Object = map[string]any{}
		page.Items[i].SetName(name)
	}
	return page
}

// A server that gives pages again, or pages with nothing, is not asked for ever.
func TestAListThatNeverEnds(t *testing.T) {
	for what, page := range map[string]func(n int) (next string, names int){
		"the same page": func(int) (string, int) { return "again", 1 },
		"a page again":  func(n int) (string, int) { return []string{"x", "y", "z"}[n%3], 1 },
		"nothing":       func(n int) (string, int) { return strconv.Itoa(n), 0 },
	} {
		n := 0
		_, err := pages(t.Context(), metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
			n++
			next, names := page(n)
			return listed(next, make([]string, names)...), nil
		})
		if !errors.Is(err, ErrEndless) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A list comes in pages; when the server has forgotten it, all of it is asked for again.
func TestAllPages(t *testing.T) {
	forgets := false
	var asked []metav1.ListOptions
	list := func(_ context.Context, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
		asked = append(asked, o)
		switch {
		case o.Limit == 0:
			return listed("", "a", "b", "c"), nil
		case o.Continue == "":
			return listed("more", "a", "b"), nil
		case forgets:
			return nil, apierrors.NewResourceExpired("too old")
		}
		return listed("", "c"), nil
	}
	for _, forgets = range []bool{false, true} {
		asked = nil
		var names []string
		all, err := pages(t.Context(), metav1.ListOptions{LabelSelector: "x"}, list)
		for _, n := range all {
			names = append(names, n.GetName())
		}
		if err != nil || !slices.Equal(names, []string{"a", "b", "c"}) {
			t.Errorf("forgets %v: %v, %v", forgets, names, err)
		}
		if asked[0].Limit != pageSize || asked[1].Continue != "more" || asked[len(asked)-1].LabelSelector != "x" {
			t.Errorf("asked %+v", asked)
		}
	}
}
