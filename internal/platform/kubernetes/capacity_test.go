package kubernetes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/describe"
)

// answering is a kind whose API server only lists: objects by the end of their path, and a
// refusal for each that is nil. It knows no kinds of other groups.
func answering(t *testing.T, objects map[string]any) Kind {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var answer any = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
		code := http.StatusNotFound
		items, has := objects[filepath.Base(r.URL.Path)]
		switch {
		case r.URL.Path == "/version":
			answer, code = map[string]string{"major": "1", "minor": "33", "gitVersion": "v1.33.1"}, http.StatusOK
		case r.URL.Path == "/api", r.URL.Path == "/apis":
			answer, code = map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}, http.StatusOK
		case has && items == nil:
			answer, code = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}, http.StatusForbidden
		case has:
			answer, code = map[string]any{"kind": "ThingList", "apiVersion": "v1", "metadata": map[string]any{}, "items": items}, http.StatusOK
		}
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q}}]\nusers: [{name: c, user: {}}]\ncontexts: [{name: c, context: {cluster: c, user: c}}]\n", server.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := defaults()
	p.Kubeconfig, p.Namespace = file, "team"
	return (Kind{}).Bind(p).(Kind)
}

// A class with no space left differs from a class of unknown space.
func TestSpaceOfAClass(t *testing.T) {
	class := map[string]any{"metadata": map[string]any{"name": "fast"}, "provisioner": "csi.example"}
	place := func(class string, sizes ...string) map[string]any {
		p := map[string]any{"storageClassName": class}
		for i, key := range []string{"capacity", "maximumVolumeSize"} {
			if i < len(sizes) && sizes[i] != "" {
				p[key] = sizes[i]
			}
		}
		return p
	}
	for name, c := range map[string]struct {
		places        any
		left, largest string
	}{
		"none is reported":           {[]any{}, "", ""},
		"of another class":           {[]any{place("slow", "1Gi")}, "", ""},
		"may not be asked":           {nil, "", ""},
		"full":                       {[]any{place("fast", "0")}, "0", "0"},
		"on two nodes":               {[]any{place("fast", "1Gi"), place("fast", "3Gi")}, "4Gi", "3Gi"},
		"small volumes":              {[]any{place("fast", "20Gi", "1Gi"), place("fast", "20Gi", "2Gi")}, "40Gi", "2Gi"},
		"one place does not say":     {[]any{place("fast", "1Gi"), place("fast")}, "", "1Gi"},
		"one says the largest alone": {[]any{place("fast", "", "2Gi")}, "", "2Gi"},
	} {
		got, err := answering(t, map[string]any{"storageclasses": []any{class}, "csistoragecapacities": c.places}).ClaimClass(t.Context(), "fast")
		if err != nil {
			t.Fatal(err)
		}
		if text(got.Capacity) != c.left || text(got.LargestVolume) != c.largest {
			t.Errorf("%s: %q and %q, want %q and %q", name, text(got.Capacity), text(got.LargestVolume), c.left, c.largest)
		}
	}
}

// text is a size where it is known.
func text(bytes *int64) string {
	if bytes == nil {
		return ""
	}
	return resource.NewQuantity(*bytes, resource.BinarySI).String()
}

// A plan knows the nodes and the rules of a namespace, and notes any that it may not see.
func TestCapacityOfANamespace(t *testing.T) {
	scoped := quota("pods 0", "", scope("PriorityClass", corev1.ScopeSelectorOpExists))
	for name, c := range map[string]struct {
		change  func(objects map[string]any)
		refused string
		notes   string
	}{
		"no rules": {func(map[string]any) {}, "", ""},
		"a quota":  {func(o map[string]any) { o["resourcequotas"] = []any{quota("pods 1", "")} }, "allows 1 of pods", ""},
		"a limit range": {func(o map[string]any) {
			o["limitranges"] = []any{limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("cpu 250m")})}
		}, "limit range l", ""},
		"quotas that are not shown": {func(o map[string]any) { o["resourcequotas"] = nil }, "", "may not list the quotas of namespace team"},
		"ranges that are not shown": {func(o map[string]any) { o["limitranges"] = nil }, "", "may not list the limit ranges of namespace team"},
		"pods that are not shown":   {func(o map[string]any) { o["pods"] = nil }, "", "nodes are taken for empty"},
		"a class by default": {func(o map[string]any) {
			o["resourcequotas"], o["priorityclasses"] = []any{scoped}, []any{map[string]any{"metadata": map[string]any{"name": "high"}, "globalDefault": true}}
		}, "allows 0 of pods", ""},
		"no classes":                 {func(o map[string]any) { o["resourcequotas"], o["priorityclasses"] = []any{scoped}, []any{} }, "", ""},
		"classes that are not shown": {func(o map[string]any) { o["resourcequotas"], o["priorityclasses"] = []any{scoped}, nil }, "", "quota q of namespace team is not compared"},
	} {
		objects := map[string]any{"nodes": []any{aNode("a")}, "pods": []any{}, "resourcequotas": []any{}, "limitranges": []any{}}
		c.change(objects)
		has, err := answering(t, objects).Capacity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := has.Refuses(four); (c.refused == "") != (got == "") || !strings.Contains(got, c.refused) {
			t.Errorf("%s: %q, want %q", name, got, c.refused)
		}
		if c.notes == "" && len(has.Notes) > 0 || !strings.Contains(strings.Join(has.Notes, "\n"), c.notes) {
			t.Errorf("%s: %q, want %q", name, has.Notes, c.notes)
		}
		if !has.Placed || len(has.Nodes) != 1 || len(has.Closed) > 0 || has.Refuses(describe.Demand{}) != "" {
			t.Errorf("%s: %+v", name, has)
		}
	}
	has, err := answering(t, map[string]any{"nodes": []any{labelled(aNode("a"), "kubernetes.io/os", "windows")}, "pods": []any{}, "resourcequotas": []any{}, "limitranges": []any{}}).Capacity(t.Context())
	if err != nil || len(has.Nodes) > 0 || !slices.Equal(has.Closed, []string{"no node takes servers or drivers: a (runs windows)"}) {
		t.Errorf("%+v, %v", has, err)
	}
}
