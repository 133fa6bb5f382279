package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoContexts = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: u, user: {}}]
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: two, context: {cluster: c, user: u, namespace: mine}}
`

func TestConnectSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(twoContexts), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, c := range []struct{ kubeconfig, context, want string }{
		{"", "", "--kubeconfig"},
		{filepath.Join(dir, "missing"), "", "missing"},
		{file, "", "no current context: choose one of one, two"},
		{file, "three", `no context "three"`},
		{"", "three", `no context "three", nor any other: name the right file with --kubeconfig`},
		{file, "two", "kubectl --context two version"},
	} {
		_, err := Connect(t.Context(), c.kubeconfig, c.context)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
