package kubernetes

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/owner"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
)

// name names an object of the run in its namespace.
func (k *Kubernetes) name(parts ...string) string {
	if !k.owned { // others work there too
		parts = append([]string{journal.Name(k.env.RunID)}, parts...)
	}
	return api.Name(parts...)
}

// diskGroup owns block devices on the nodes of all common distributions. They keep their
// owner and mode in a pod, whose user is not root, unless its container runtime gives them to
// that user (device_ownership_from_security_context of containerd).
const diskGroup = 6

// newPod is a pod of the run that may do as little as every cluster permits: no
// privileges, no account at the API server, a user who is not root.
func (k *Kubernetes) newPod(name, role, called string, spec corev1.PodSpec) *corev1.Pod {
	pod := &corev1.Pod{Spec: spec}
	pod.Name, pod.Namespace = name, k.namespace
	pod.Labels = api.Labels(k.env.RunID, api.RoleLabel, role, api.NameLabel, called)
	yes, no := true, false
	onRootMismatch := corev1.FSGroupChangeOnRootMismatch // PostgreSQL refuses a directory that others may write to
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	pod.Spec.AutomountServiceAccountToken, pod.Spec.EnableServiceLinks = &no, &no
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: &yes, RunAsUser: &k.uid, RunAsGroup: &k.uid, FSGroup: &k.uid, FSGroupChangePolicy: &onRootMismatch,
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if len(containers[i].VolumeDevices) > 0 {
				pod.Spec.SecurityContext.SupplementalGroups = []int64{diskGroup}
			}
			containers[i].ImagePullPolicy = corev1.PullIfNotPresent
			// Its directories may be written by everybody, and nobody else has processes in it.
			containers[i].Env = append(containers[i].Env, corev1.EnvVar{Name: owner.AloneVariable, Value: "1"})
			containers[i].SecurityContext = &corev1.SecurityContext{
				AllowPrivilegeEscalation: &no, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			}
		}
	}
	if k.parameters.PullSecret != "" {
		pod.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: k.parameters.PullSecret}}
	}
	return pod
}

// resources are limits, and the study's share of them as requests.
func (p *Parameters) resources(l describe.Limits) corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Limits: corev1.ResourceList{}, Requests: corev1.ResourceList{}}
	if l.CPU > 0 {
		r.Limits[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(math.Ceil(l.CPU*1000)), resource.DecimalSI)
		r.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(math.Ceil(l.CPU*1000*p.Requests)), resource.DecimalSI)
	}
	if l.Memory > 0 {
		r.Limits[corev1.ResourceMemory] = *resource.NewQuantity(l.Memory, resource.BinarySI)
		r.Requests[corev1.ResourceMemory] = *resource.NewQuantity(int64(float64(l.Memory)*p.Requests), resource.BinarySI)
	}
	return r
}

// emptyDirectory is a volume of a pod that goes with it.
func emptyDirectory(name string, medium corev1.StorageMedium) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: medium}}}
}

func mounted(name, path string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: name, MountPath: path}
}

// claimed gives the container of a pod a volume at its path, mounted or as a device.
func claimed(spec *corev1.PodSpec, c *corev1.Container, v storage.Volume) error {
	if v.Path == "" {
		return nil
	}
	if v.Claim == "" {
		return fmt.Errorf("volume %s is no claim of this cluster", v.Name)
	}
	if slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == v.Path }) ||
		slices.ContainsFunc(c.VolumeDevices, func(d corev1.VolumeDevice) bool { return d.DevicePath == v.Path }) {
		return nil // some tasks name a volume twice
	}
	name := "volume-" + strconv.Itoa(len(spec.Volumes))
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: v.Claim},
	}})
	if v.Endpoint().Kind == endpoint.Device {
		c.VolumeDevices = append(c.VolumeDevices, corev1.VolumeDevice{Name: name, DevicePath: v.Path})
		return nil
	}
	c.VolumeMounts = append(c.VolumeMounts, mounted(name, v.Path))
	return nil
}
