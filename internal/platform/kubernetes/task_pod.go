package kubernetes

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/workload/driver"
)

// taskContainer is the container of a task's pod in which it runs.
const taskContainer = "task"

// spoolLimit bounds what a task may write: a driver of 1,000 units of work a second
// with receipts of 50 bytes writes 4 GiB in some twenty hours. A pod with more is
// evicted, which is its reason.
const spoolLimit = "4Gi"

// taskPod is the pod of a task.
func (k *Kubernetes) taskPod(t platform.Task, at spot, serial int) (*corev1.Pod, error) {
	ours := k.parameters.ownImage()
	spool := emptyDirectory("task", "")
	limit := resource.MustParse(spoolLimit)
	spool.EmptyDir.SizeLimit = &limit
	spec := corev1.PodSpec{Volumes: []corev1.Volume{spool, emptyDirectory("tmp", "")}}
	readOnly := true
	main := corev1.Container{
		Name: taskContainer, Image: cmp.Or(at.image, ours), Args: []string{"pod", "task"}, Resources: taskRequests(t.Job.Kind),
		VolumeMounts:             []corev1.VolumeMount{mounted("task", pod.Directory), mounted("tmp", "/tmp")},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	if at.image != "" {
		bring(&spec, &main, ours)
	}
	for _, v := range t.Volumes {
		if err := claimed(&spec, &main, v); err != nil {
			return nil, err
		}
	}
	spec.Containers = []corev1.Container{main}
	k.settle(&spec, t, at)
	made := k.newPod(k.name("task", t.Name, fmt.Sprint(serial)), taskRole, t.Name, spec)
	made.Spec.Containers[0].SecurityContext.ReadOnlyRootFilesystem = &readOnly
	return made, nil
}

// settle puts a task where it belongs. Volumes that it mounts are used as an
// application uses them, where applications run; other tasks are clients.
func (k *Kubernetes) settle(spec *corev1.PodSpec, t platform.Task, at spot) {
	switch {
	case at.node != "":
		on := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{at.node}}
		affinity(spec).NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{on}}},
		}}
		spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} // whatever the node is kept for
	case len(t.Volumes) > 0:
		k.arrange(spec, k.parameters.Placement.Application, taskRole)
	default:
		k.arrange(spec, k.parameters.Placement.Driver, taskRole)
	}
}

// bring has Plimsoll brought into an image that does not have it, with a name for
// the pod's user.
func bring(spec *corev1.PodSpec, main *corev1.Container, ours string) {
	spec.Volumes = append(spec.Volumes, emptyDirectory("plimsoll", ""))
	place := mounted("plimsoll", pod.InstallDirectory)
	spec.InitContainers = []corev1.Container{{Name: "install", Image: ours, Args: []string{"pod", "install"}, VolumeMounts: []corev1.VolumeMount{place}}}
	main.Command = []string{pod.Installed}
	accounts := corev1.VolumeMount{Name: "plimsoll", MountPath: "/etc/passwd", SubPath: pod.Accounts, ReadOnly: true}
	main.VolumeMounts = append(main.VolumeMounts, place, accounts)
}

// taskRequests are what the scheduler keeps for a task. There are no limits: a
// driver that is held back would measure itself.
func taskRequests(kind string) corev1.ResourceRequirements {
	cpu, memory := "50m", "64Mi"
	if kind == driver.TaskKind {
		cpu, memory = "250m", "128Mi"
	}
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}}
}
