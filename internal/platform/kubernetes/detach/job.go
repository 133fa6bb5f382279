package detach

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	klabels "k8s.io/apimachinery/pkg/labels"

	"plimsoll/internal/host/owner"
	"plimsoll/internal/platform/kubernetes/api"
)

// container is the name of the one container in our pods.
const container = "plimsoll"

// runsVolume is the claim in a pod's description.
const runsVolume = "runs"

// attempts is how often a campaign that was killed is continued.
const attempts = 5

// patience is how long a campaign may take to clean up, in seconds.
const patience = 300

// killed are the exit codes of a campaign that a signal ended, from 128 on: it is
// continued. All others are its own last word.
var killed = []int32{130, 137, 143}

func selector(role string) string {
	return klabels.SelectorFromSet(klabels.Set{api.ManagedBy: api.Manager, api.RoleLabel: role}).String()
}

// podsOf selects a Job's pods. It also matches pods of an earlier Job of the same name that
// are still ending; their UID tells them apart.
func podsOf(job *batchv1.Job) string {
	return klabels.SelectorFromSet(klabels.Set{batchv1.JobNameLabel: job.Name}).String()
}

// newJob is the campaign's Job, suspended: its Secret comes second, because it
// belongs to the Job.
func (h Home) newJob(ctx context.Context, r Run) *batchv1.Job {
	suspended, limit := true, int32(attempts)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: jobName(r.Name), Namespace: h.Namespace, Labels: labels(campaignRole, r.Name),
			Annotations: map[string]string{nameAnnotation: r.Name},
		},
		Spec: batchv1.JobSpec{
			Suspend: &suspended, BackoffLimit: &limit, PodFailurePolicy: continued(),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(campaignRole, r.Name)},
				Spec:       h.campaignPod(ctx, r),
			},
		},
	}
}

// continued has a campaign go on that was killed, or whose node was drained.
func continued() *batchv1.PodFailurePolicy {
	name := container
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		{Action: batchv1.PodFailurePolicyActionIgnore, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
		}},
		{Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			ContainerName: &name, Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn, Values: killed,
		}},
	}}
}

func (h Home) campaignPod(ctx context.Context, r Run) corev1.PodSpec {
	args := append([]string{"run", studyDir + "/" + study, "--runs", runsDir, "--name", r.Name, "--in-cluster"}, r.Flags...)
	pod := h.pod(ctx, args...)
	pod.ServiceAccountName, pod.AutomountServiceAccountToken = h.Account, nil
	grace := int64(patience)
	pod.TerminationGracePeriodSeconds = &grace
	readable := int32(0o440)
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "study", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: jobName(r.Name), DefaultMode: &readable},
	}})
	c := &pod.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "study", MountPath: studyDir, ReadOnly: true})
	return pod
}

// pod is one that has the run directories, and runs this program with arguments.
func (h Home) pod(ctx context.Context, args ...string) corev1.PodSpec {
	no := false
	pod := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, SecurityContext: h.security(ctx), AutomountServiceAccountToken: &no,
		Volumes: []corev1.Volume{
			{Name: runsVolume, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: h.Claim}}},
			{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
		Containers: []corev1.Container{{
			Name: container, Image: h.Image, Args: args, ImagePullPolicy: corev1.PullIfNotPresent,
			Env: []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}, {Name: owner.AloneVariable, Value: "1"}},
			VolumeMounts: []corev1.VolumeMount{
				{Name: runsVolume, MountPath: runsDir}, {Name: "scratch", MountPath: "/tmp", SubPath: "tmp"}, {Name: "scratch", MountPath: "/var/tmp", SubPath: "work"},
			},
			Resources:                needs,
			SecurityContext:          restricted(),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		}},
	}
	if h.PullSecret != "" {
		pod.ImagePullSecrets = []corev1.LocalObjectReference{{Name: h.PullSecret}}
	}
	return pod
}

// needs is what a campaign needs by itself: analysis of a long run is the most.
var needs = corev1.ResourceRequirements{
	Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
	Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("2Gi")},
}

// restricted is what the pod security level of that name demands of a container.
func restricted() *corev1.SecurityContext {
	no, yes := false, true
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, RunAsNonRoot: &yes,
		Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// user runs campaigns where the namespace does not name its own users.
const user = 10001

// security gives the run directories to the pod's user. A namespace of OpenShift has
// users of its own, which it fills in.
func (h Home) security(ctx context.Context) *corev1.PodSecurityContext {
	ns, err := api.Of[corev1.Namespace](h.Client, "").Get(ctx, h.Namespace)
	if err == nil && ns.Annotations["openshift.io/sa.scc.uid-range"] != "" {
		return nil
	}
	id, only := int64(user), corev1.FSGroupChangeOnRootMismatch
	return &corev1.PodSecurityContext{RunAsUser: &id, RunAsGroup: &id, FSGroup: &id, FSGroupChangePolicy: &only}
}

// secret is the study, which may hold what must not be in a pod's description.
func (h Home) secret(job *batchv1.Job, text []byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: job.Name, Namespace: h.Namespace, Labels: job.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Data: map[string][]byte{study: text},
	}
}

// fresh is a Job as it is applied again: what an earlier answer of the API server
// filled in is left out.
func fresh(job *batchv1.Job) *batchv1.Job {
	again := job.DeepCopy()
	again.UID, again.ResourceVersion = "", ""
	return again
}
