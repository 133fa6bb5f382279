package kubernetes

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/platform/kubernetes/image"
)

// aNode is one that is ready, with 4 cores and 8 GiB.
func aNode(name string) corev1.Node {
	var n corev1.Node
	n.Name, n.Labels = name, map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return n
}

func unready(n corev1.Node) corev1.Node {
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	return n
}

func tainted(n corev1.Node, key string) corev1.Node {
	n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
	return n
}

func labelled(n corev1.Node, key, value string) corev1.Node {
	n.Labels = maps.Clone(n.Labels)
	n.Labels[key] = value
	return n
}

// A node is used where it has the system and the architecture of the images, and what the
// study asks for.
func TestNodesThatTakePods(t *testing.T) {
	cordoned, without, preferred := aNode("n"), aNode("n"), tainted(aNode("n"), "slow")
	cordoned.Spec.Unschedulable = true
	delete(without.Labels, "kubernetes.io/os")
	preferred.Spec.Taints[0].Effect = corev1.TaintEffectPreferNoSchedule
	pool := Place{NodeSelector: map[string]string{"pool": "databases"}}
	for name, c := range map[string]struct {
		node  corev1.Node
		at    Place
		image string
		want  string
	}{
		"any":                              {node: aNode("n")},
		"another architecture":             {node: labelled(aNode("n"), "kubernetes.io/arch", "arm64")},
		"one without an image":             {node: labelled(aNode("n"), "kubernetes.io/arch", "s390x"), want: `is of architecture "s390x"`},
		"an image of the study":            {node: labelled(aNode("n"), "kubernetes.io/arch", "s390x"), image: "registry.example/plimsoll:1"},
		"another system":                   {node: labelled(aNode("n"), "kubernetes.io/os", "windows"), want: "runs windows"},
		"a system that is not known":       {node: without, want: "has no label kubernetes.io/os=linux"},
		"not ready":                        {node: unready(aNode("n")), want: "is not ready"},
		"cordoned":                         {node: cordoned, want: "is cordoned"},
		"for graphics cards":               {node: tainted(aNode("n"), "nvidia.com/gpu"), want: "has the taint nvidia.com/gpu:NoSchedule"},
		"no machine":                       {node: tainted(aNode("n"), "virtual-kubelet.io/provider"), want: "has the taint virtual-kubelet.io/provider:NoSchedule"},
		"tolerated":                        {node: tainted(aNode("n"), "nvidia.com/gpu"), at: Place{Tolerations: []Toleration{{Key: "nvidia.com/gpu", Operator: "Exists"}}}},
		"tainted, but preferably":          {node: preferred},
		"in the pool of the study":         {node: labelled(aNode("n"), "pool", "databases"), at: pool},
		"in another pool than the study's": {node: labelled(aNode("n"), "pool", "web"), at: pool, want: "has no label pool=databases"},
	} {
		p := defaults()
		if c.image != "" {
			p.Images = map[string]string{own: c.image}
		}
		if got := p.wanted(c.at).refusal(c.node); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWhyNoNodeTakesPods(t *testing.T) {
	free := defaults().wanted(Place{})
	pool := defaults().wanted(Place{NodeSelector: map[string]string{"pool": "drivers"}})
	many := []corev1.Node{unready(aNode("a")), unready(aNode("b")), unready(aNode("c")), unready(aNode("d")), unready(aNode("e")), tainted(aNode("f"), "gpu")}
	for _, c := range []struct {
		nodes            []corev1.Node
		servers, drivers wanted
		want             []string
	}{
		{nil, free, free, []string{"no node takes servers or drivers: the cluster has none"}},
		{many, free, free, []string{"no node takes servers or drivers: f (has the taint gpu:NoSchedule), a, b, c and 2 more (is not ready)"}},
		{[]corev1.Node{aNode("a")}, free, pool, []string{"no node takes drivers: a (has no label pool=drivers)"}},
		{[]corev1.Node{aNode("a")}, pool, free, []string{"no node takes servers: a (has no label pool=drivers)"}},
		{append(many, aNode("z")), free, free, nil},
	} {
		if got := closed(c.nodes, c.servers, c.drivers); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Releases have images of these architectures, and pods of no other.
func TestArchitecturesOfReleases(t *testing.T) {
	script, err := os.ReadFile("../../../packaging/build")
	if err != nil {
		t.Fatal(err)
	}
	if built := "${ARCHITECTURES:-" + strings.Join(image.Architectures(), " ") + "}"; !strings.Contains(string(script), built) {
		t.Errorf("packaging/build does not build %s", built)
	}
	values := podOf(t, onPaper(nil), aServer(), aVolume).Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchExpressions[0].Values
	if !slices.Equal(values, image.Architectures()) {
		t.Errorf("pods run on %v", values)
	}
}
