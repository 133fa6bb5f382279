// Package deploy tests what deploy/ installs in a cluster: the Helm chart and the
// kustomizations render the same objects. It is a module of its own, because Helm
// brings half of the field with it.
package deploy

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	chart     = "../../deploy/helm/plimsoll"
	overlays  = "../../deploy/kustomize/"
	namespace = "plimsoll"
)

// values is what a person sets.
type values = map[string]any

var (
	byCluster  = values{"rbac": values{"scope": "cluster"}}
	telemetry  = values{"rbac": values{"kubeletTelemetry": true}}
	nodeFaults = values{"rbac": values{"scope": "cluster", "nodeFaults": true}}
	everything = values{
		"serviceAccount": values{"annotations": values{"a": "b"}},
		"rbac":           values{"scope": "cluster", "kubeletTelemetry": true, "nodeFaults": true},
		"runs":           values{"storageClass": "slow", "accessMode": "ReadWriteMany", "size": "1.5Ti", "keep": false},
	}
	existing = values{
		"serviceAccount": values{"name": "theirs"}, "rbac": values{"kubeletTelemetry": false}, "runs": values{"existingClaim": "mine"},
	}
)

func TestTheChartPassesLint(t *testing.T) {
	for name, v := range map[string]values{"defaults": nil, "cluster": byCluster, "everything": everything, "existing": existing} {
		for _, message := range lint.All(chart, v, namespace, true).Messages {
			if message.Severity > support.InfoSev { // information: it has no icon
				t.Errorf("%s: %s", name, message)
			}
		}
	}
}

// What a release has of the chart is the chart, with its schema and the version of the program.
func TestThePackedChart(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("../../packaging/chart", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(dir + "/plimsoll-*.tgz")
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	packed, err := loader.Load(files[0])
	if err != nil {
		t.Fatal(err)
	}
	source, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(packed, source, cmpopts.IgnoreUnexported(*source)); diff != "" || len(packed.Schema) == 0 {
		t.Errorf("packed (-) and in the repository (+):\n%s", diff)
	}
	program, err := os.ReadFile("../../internal/text/version/version.go")
	if err != nil {
		t.Fatal(err)
	}
	if want := `const Number = "` + packed.Metadata.Version + `"`; !strings.Contains(string(program), want) || packed.Metadata.AppVersion != packed.Metadata.Version {
		t.Errorf("the chart is of version %s for program %s, which has another", packed.Metadata.Version, packed.Metadata.AppVersion)
	}
}

// A value that is misspelt or impossible is refused rather than ignored.
func TestTheChartRefusesWrongValues(t *testing.T) {
	for want, v := range map[string]values{
		"scope":         {"rbac": values{"scope": "world"}},
		"nodeFault":     {"rbac": values{"nodeFault": true}},
		"size":          {"runs": values{"size": "ten"}},
		"accessMode":    {"runs": values{"accessMode": "ReadOnlyMany"}},
		"existingClaim": {"runs": values{"existingClaim": "No Name"}},
		"run":           {"run": values{}},
	} {
		if _, err := render(t, "plimsoll", v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", v, err)
		}
	}
}

func TestEveryValueIsDocumented(t *testing.T) {
	c, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, f := range c.Raw {
		if f.Name == "values.yaml" {
			text = string(f.Data)
		}
	}
	var before string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		leaf := strings.Contains(line, ": ") && !strings.HasPrefix(line, "#")
		// two keys that belong together may share the comment above the first
		if leaf && !strings.HasPrefix(before, "#") && !strings.HasPrefix(line, "annotations") && !strings.HasPrefix(line, "accessMode") && !strings.HasPrefix(line, "size") {
			t.Errorf("%q has no comment", line)
		}
		before = line
	}
}

// Kustomize and Helm install the same.
func TestKustomizeRendersWhatTheChartDoes(t *testing.T) {
	for overlay, v := range map[string]values{"namespaced": nil, "cluster": byCluster, "kubelet-telemetry": telemetry, "node-faults": nodeFaults} {
		chart, err := render(t, "plimsoll", v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(chart, build(t, overlay)); diff != "" {
			t.Errorf("%s: the chart (-) and kustomize (+) differ:\n%s", overlay, diff)
		}
	}
}

func TestWhatExistsIsUsed(t *testing.T) {
	all, err := render(t, "other", existing)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ClusterRole other-plimsoll-cluster", "ClusterRoleBinding other-plimsoll-cluster",
		"Role other-plimsoll-runs", "RoleBinding other-plimsoll-runs",
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Errorf("objects %q, want %q", got, want)
	}
	if text := encode(t, all["RoleBinding other-plimsoll-runs"]); !strings.Contains(text, "name: theirs") {
		t.Errorf("the binding is not that of the account given:\n%s", text)
	}
}

// Unless more is asked for, what holds in the cluster is to read what the cluster consists
// of: nothing that leads into a pod, a Secret or a kubelet, and nothing that changes.
func TestTheDefaultReachesOneNamespace(t *testing.T) {
	all, err := render(t, "plimsoll", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range all {
		kind, _, _ := strings.Cut(name, " ")
		if kind != "ClusterRole" {
			continue
		}
		for _, rule := range o["rules"].([]any) {
			r := rule.(map[string]any)
			for _, resource := range r["resources"].([]any) {
				text := resource.(string)
				if strings.Contains(text, "/") || strings.HasPrefix(text, "pods") || text == "secrets" || text == "namespaces" || strings.Contains(text, "*") {
					t.Errorf("%s grants %s in the whole cluster", name, text)
				}
			}
			for _, verb := range r["verbs"].([]any) {
				if !slices.Contains([]any{"get", "list", "watch"}, verb) {
					t.Errorf("%s grants %s of %v in the whole cluster", name, verb, r["resources"])
				}
			}
		}
	}
	for kind, want := range map[string]int{"ClusterRole": 1, "ClusterRoleBinding": 1, "Role": 1, "RoleBinding": 1} {
		n := 0
		for name := range all {
			if strings.HasPrefix(name, kind+" ") {
				n++
			}
		}
		if n != want {
			t.Errorf("%d objects %s, want %d", n, kind, want)
		}
	}
	for name, v := range map[string]values{"nodes/proxy": telemetry, "namespaces": byCluster} {
		wider, err := render(t, "plimsoll", v)
		if err != nil || !strings.Contains(encode(t, wider), name) {
			t.Errorf("%v does not grant %s: %v", v, name, err)
		}
	}
}

// Draining nodes is permitted only where it was asked for.
func TestFaultsOfNodesAreAskedFor(t *testing.T) {
	for want, v := range map[bool]values{false: nil, true: everything} {
		all, err := render(t, "plimsoll", v)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(encode(t, all), "pods/eviction"); got != want {
			t.Errorf("%v: eviction is permitted: %v", v, got)
		}
	}
}

// objects holds the objects of a rendering by kind and name, without labels and annotations,
// which say who made them.
type objects = map[string]map[string]any

// render is helm template.
func render(t *testing.T, release string, v values) (objects, error) {
	t.Helper()
	c, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	full, err := chartutil.ToRenderValues(c, v, chartutil.ReleaseOptions{Name: release, Namespace: namespace, IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, full)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for name, file := range files {
		if strings.HasSuffix(name, ".yaml") {
			text = append(text, strings.Split(file, "\n---\n")...)
		}
	}
	return decode(t, text), nil
}

// build is kubectl kustomize.
func build(t *testing.T, overlay string) objects {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlays+overlay)
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, strings.Split(string(text), "\n---\n"))
}

func decode(t *testing.T, documents []string) objects {
	t.Helper()
	all := objects{}
	for _, text := range documents {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(text), &o); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if o == nil {
			continue
		}
		metadata := o["metadata"].(map[string]any)
		delete(metadata, "labels")
		delete(metadata, "annotations")
		all[o["kind"].(string)+" "+metadata["name"].(string)] = o
	}
	return all
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
