package kubernetes

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"plimsoll/internal/describe/doctor"
	testbed "plimsoll/test/cluster"
)

// What deploy/ grants is what a run needs, no less and no more.
func TestTheRolesGrantWhatIsNeededAndNoMore(t *testing.T) {
	granted := map[string]bool{}
	for _, name := range []string{"run-role", "cluster-role"} {
		for _, a := range grants(t, name) {
			granted[a.group+" "+a.String()] = true
		}
	}
	needed := map[string]bool{}
	for _, p := range permissions(false) {
		if p.wider {
			continue // granted by an overlay of its own
		}
		for _, a := range p.each() {
			needed[a.group+" "+a.String()] = true
		}
	}
	if g, n := slices.Sorted(maps.Keys(granted)), slices.Sorted(maps.Keys(needed)); !slices.Equal(g, n) {
		t.Errorf("granted:\n%s\nneeded:\n%s", strings.Join(g, "\n"), strings.Join(n, "\n"))
	}
}

// grants are the permissions that a role in deploy/ grants.
func grants(t *testing.T, name string) (all []asked) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/kustomize/base/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal(text, &role); err != nil {
		t.Fatal(err)
	}
	for _, r := range role.Rules {
		all = append(all, (permission{group: r.APIGroups[0], resources: strings.Join(r.Resources, " "), verbs: strings.Join(r.Verbs, " ")}).each()...)
	}
	return all
}

// Every call of the API in the source states its kind and its verb. Every called verb is
// granted, and every granted kind is called.
func TestWhatIsGrantedIsUsed(t *testing.T) {
	var source strings.Builder
	for _, dir := range []string{".", "api"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "_test.go") {
				source.Write(text)
			}
		}
	}
	named := map[string]bool{} // resources
	for _, typed := range regexp.MustCompile(`\bOf\[\w+\.(\w+)\]`).FindAllStringSubmatch(source.String(), -1) {
		named[resourceOf(typed[1])] = true
	}
	granted := map[string]bool{}
	for _, a := range append(grants(t, "run-role"), grants(t, "cluster-role")...) {
		granted[a.String()] = true
		switch {
		case a.subresource != "":
			if !strings.Contains(source.String(), `SubResource("`+a.subresource+`")`) {
				t.Errorf("%s is granted and never used", a)
			}
		case !named[a.resource] && !regexp.MustCompile(`(?i)Kind(: |\()"`+strings.TrimSuffix(strings.TrimSuffix(a.resource, "s"), "e")+`e?(List)?"`).MatchString(source.String()):
			t.Errorf("%s is granted, and no call names it", a)
		}
	}
	calls := regexp.MustCompile(`\bOf\[\w+\.(\w+)\]\([^()]*(?:\(\))?\)\.(Get|List|Create|Merge)\(`).FindAllStringSubmatch(source.String(), -1)
	if len(calls) < 20 {
		t.Fatalf("only %d calls were found", len(calls))
	}
	for _, call := range calls {
		verb := strings.ToLower(call[2])
		if verb == "merge" {
			verb = "patch"
		}
		used := verb + " " + resourceOf(call[1])
		if !granted[used] && used != "create selfsubjectaccessreviews" && !strings.HasSuffix(used, " namespaces") && used != "patch nodes" {
			t.Errorf("%s is used, and not granted", used)
		}
	}
}

// resourceOf is what roles call a kind.
func resourceOf(kind string) string {
	resource, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
	return resource.Resource
}

func kubectl(t *testing.T, c *testbed.Cluster, args ...string) {
	t.Helper()
	cmd := exec.Command("env", append([]string{"kubectl"}, args...)...) // which looks in the cluster's PATH
	cmd.Env = append(os.Environ(), c.Environment()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func checksOf(t *testing.T, kubeconfig, namespace string) map[string]doctor.Check {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	p := defaults()
	p.Kubeconfig, p.Namespace = kubeconfig, namespace
	all := map[string]doctor.Check{}
	for _, c := range (Kind{}).Bind(p).(Kind).Checks(ctx) {
		all[c.Name] = c
	}
	return all
}

// The doctor tells of a cluster what an administrator would look up, and of an account
// which permissions it lacks, until the roles of deploy/ are bound to it.
func TestChecksOfACluster(t *testing.T) {
	c := testbed.Shared(t)
	admin := checksOf(t, c.Kubeconfig, "")
	for name, want := range map[string]string{
		"cluster": "Kubernetes v1.", "permissions": "needed", "storage class fast": "bound at once", "storage class slow": "bound when first used",
		"nodes": "1 of 1 take instances", "quotas": "namespace of its own",
	} {
		if check := admin[name]; check.Status != doctor.OK || !strings.Contains(check.Found, want) {
			t.Errorf("%s: %+v, not %q", name, check, want)
		}
	}

	const namespace = "doctor-checks"
	kubectl(t, c, "create", "namespace", namespace)
	t.Cleanup(func() { kubectl(t, c, "delete", "namespace", namespace) })
	kubectl(t, c, "--namespace", namespace, "create", "serviceaccount", "plimsoll")
	kubectl(t, c, "--namespace", namespace, "create", "quota", "small", "--hard=pods=10,requests.memory=4Gi")
	account, err := c.KubeconfigFor(t.Context(), namespace, "plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	if check := checksOf(t, account, namespace)["permissions"]; check.Status != doctor.Fail || !strings.Contains(check.Found, "create pods,") || !strings.Contains(check.Fix, "deploy/") {
		t.Errorf("an account without permissions: %+v", check)
	}
	overlay(t, c, namespace)
	bound := checksOf(t, account, namespace)
	if check := bound["permissions"]; check.Status != doctor.OK {
		t.Errorf("with the roles of deploy/: %+v", check)
	}
	if check := bound["quota small"]; !strings.Contains(check.Found, "pods 0 of 10") {
		t.Errorf("the quota: %+v", check)
	}
	if check := bound["optional permissions"]; check.Found != "not held: get nodes/proxy" {
		t.Errorf("with the roles of deploy/: %+v", check)
	}
	if check := checksOf(t, account, "")["permissions"]; check.Status != doctor.Fail || !strings.Contains(check.Found, "create namespaces") {
		t.Errorf("an account of one namespace may make others: %+v", check)
	}
}

// overlay applies deploy/kustomize/namespaced in another namespace.
func overlay(t *testing.T, c *testbed.Cluster, namespace string) {
	t.Helper()
	base, err := filepath.Abs("../../../deploy/kustomize/base")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	relative, err := filepath.Rel(dir, base)
	if err != nil {
		t.Fatal(err)
	}
	text := "namespace: " + namespace + "\nresources: [" + relative + "]\n"
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, c, "apply", "-k", dir)
	t.Cleanup(func() {
		kubectl(t, c, "delete", "clusterrole,clusterrolebinding", "-l", "app.kubernetes.io/name=plimsoll")
	})
}
