package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A server that gives pages again, or pages with nothing, is not asked for ever.
func TestAListThatNeverEnds(t *testing.T) {
	for what, page := range map[string]func(n int) (next string, names int){
		"the same page": func(int) (string, int) { return "again", 1 },
		"a page again":  func(n int) (string, int) { return []string{"x", "y", "z"}[n%3], 1 },
		"nothing":       func(n int) (string, int) { return strconv.Itoa(n), 0 },
	} {
		n := 0
		_, err := All(t.Context(), metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (*corev1.NodeList, error) {
			n++
			next, names := page(n)
			return &corev1.NodeList{ListMeta: metav1.ListMeta{Continue: next}, Items: make([]corev1.Node, names)}, nil
		}, func(l *corev1.NodeList) []corev1.Node { return l.Items })
		if !errors.Is(err, ErrEndless) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A list comes in pages; when the server has forgotten it, all of it is asked for again.
func TestAllPages(t *testing.T) {
	node := func(name string) corev1.Node { return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	forgets := false
	var asked []metav1.ListOptions
	list := func(_ context.Context, o metav1.ListOptions) (*corev1.NodeList, error) {
		asked = append(asked, o)
		switch {
		case o.Limit == 0:
			return &corev1.NodeList{Items: []corev1.Node{node("a"), node("b"), node("c")}}, nil
		case o.Continue == "":
			return &corev1.NodeList{ListMeta: metav1.ListMeta{Continue: "more"}, Items: []corev1.Node{node("a"), node("b")}}, nil
		case forgets:
			return nil, apierrors.NewResourceExpired("too old")
		}
		return &corev1.NodeList{Items: []corev1.Node{node("c")}}, nil
	}
	for _, forgets = range []bool{false, true} {
		asked = nil
		var names []string
		all, err := All(t.Context(), metav1.ListOptions{LabelSelector: "x"}, list, func(l *corev1.NodeList) []corev1.Node { return l.Items })
		for _, n := range all {
			names = append(names, n.Name)
		}
		if err != nil || !slices.Equal(names, []string{"a", "b", "c"}) {
			t.Errorf("forgets %v: %v, %v", forgets, names, err)
		}
		if asked[0].Limit != pageSize || asked[1].Continue != "more" || asked[len(asked)-1].LabelSelector != "x" {
			t.Errorf("asked %+v", asked)
		}
	}
}
