package kubernetes

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/result"
)

func node(name string) corev1.Node {
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: "host-" + name}}}
}

// A volume that only one node reaches is on that node; a volume of a whole zone is not.
func TestVolumesOfOneNode(t *testing.T) {
	all := []corev1.Node{node("a"), node("b")}
	reached := func(key string, values ...string) *corev1.NodeSelector {
		return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}
	}
	for _, c := range []struct {
		to   *corev1.NodeSelector
		want string
	}{
		{reached(corev1.LabelHostname, "host-b"), "b"},
		{reached(corev1.LabelHostname, "host-a", "host-b"), ""},
		{reached(corev1.LabelTopologyZone, "host-a"), ""},
		{reached(corev1.LabelHostname, "elsewhere"), ""},
	} {
		if got := pinned(c.to, all); got != c.want {
			t.Errorf("%v is on %q, not %q", c.to, got, c.want)
		}
	}
}

// Machines are the nodes that the trial uses, those that serve volumes, and those
// that a Prometheus tells of.
func TestMachinesOfATrial(t *testing.T) {
	o := &observer{
		nodes: nodes{all: map[string]result.Host{"a": {Cores: 4, Memory: 1 << 30}, "s": {Cores: 8, Memory: 1 << 30}, "idle": {Cores: 2}}, storage: map[string]bool{"s": true}},
		roles: map[string]map[string]bool{"a": {result.ApplicationRole: true, result.DriverRole: true}, "unknown": {result.DriverRole: true}},
	}
	recorded := []result.Host{{Name: "a"}, {Name: "ceph-1", Roles: []string{result.StorageRole}, Cores: 16}, {Name: "idle"}, {Name: "unknown", Cores: 2, Memory: 7}}
	want := []result.Host{
		{Name: "a", Roles: []string{result.ApplicationRole, result.DriverRole}, Cores: 4, Memory: 1 << 30},
		{Name: "ceph-1", Roles: []string{result.StorageRole}, Cores: 16},
		{Name: "idle", Roles: []string{}, Cores: 2},
		{Name: "s", Roles: []string{result.StorageRole}, Cores: 8, Memory: 1 << 30},
		{Name: "unknown", Roles: []string{result.DriverRole}, Cores: 2, Memory: 7},
	}
	got := o.machines(recorded)
	if !slices.EqualFunc(got, want, func(x, y result.Host) bool {
		return x.Name == y.Name && x.Cores == y.Cores && x.Memory == y.Memory && slices.Equal(x.Roles, y.Roles)
	}) {
		t.Errorf("%+v", got)
	}
}
