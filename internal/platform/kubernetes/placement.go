package kubernetes

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/platform/kubernetes/api"
)

// Roles of pods, which are values of api.RoleLabel.
const (
	serverRole = "server"
	taskRole   = "task"
)

// arrange puts a pod of a role where the study wants it.
func (k *Kubernetes) arrange(spec *corev1.PodSpec, at Place, role string) {
	want := k.parameters.wanted(at)
	spec.NodeSelector = want.labels
	if len(want.architectures) > 0 {
		of := corev1.NodeSelectorRequirement{Key: corev1.LabelArchStable, Operator: corev1.NodeSelectorOpIn, Values: want.architectures}
		affinity(spec).NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{of}}},
		}}
	}
	for _, t := range at.Tolerations {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
			Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect),
		})
	}
	switch at.Arrange {
	case spread:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: k.ofRole(role),
		}}
	case pack:
		affinity(spec).PodAffinity = &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100, PodAffinityTerm: k.near(role),
		}}}
	}
	if at.AvoidInstances {
		affinity(spec).PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{k.near(serverRole)}}
	}
}

func affinity(spec *corev1.PodSpec) *corev1.Affinity {
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	return spec.Affinity
}

// near is the same node as pods of a role.
func (k *Kubernetes) near(role string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: k.ofRole(role)}
}

// ofRole selects the run's pods of a role.
func (k *Kubernetes) ofRole(role string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: api.Labels(k.env.RunID, api.RoleLabel, role)}
}
