package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// eventually tries until it succeeds, for as long as anything may take.
func eventually(t *testing.T, what string, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("wait until %s: %v", what, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func of[T any](value T) *T { return &value }

// pod is a restricted one: an arbitrary user, no rights, and a root that cannot be
// written to.
func (b bench) pod(name, image string, command ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: of(int64(1)),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: of(true), RunAsUser: of(int64(12345)), RunAsGroup: of(int64(0)), FSGroup: of(int64(23456)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "main", Image: b.Images[image], ImagePullPolicy: corev1.PullIfNotPresent, Command: command,
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: of(false), ReadOnlyRootFilesystem: of(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
				VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
			}},
			Volumes: []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		},
	}
}

// mount gives the pod the claim at /volume.
func mount(pod *corev1.Pod, claim string) {
	source := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "volume", VolumeSource: source})
	main := &pod.Spec.Containers[0]
	main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: "volume", MountPath: "/volume"})
}

func (b bench) claim(t *testing.T, name, class string, source *corev1.TypedLocalObjectReference) {
	t.Helper()
	_, err := b.CoreV1().PersistentVolumeClaims("default").Create(t.Context(), aClaim(name, class, source), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func aClaim(name, class string, source *corev1.TypedLocalObjectReference) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, DataSource: source,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
}

func (b bench) delete(t *testing.T, claim string) {
	t.Helper()
	if err := b.CoreV1().PersistentVolumeClaims("default").Delete(t.Context(), claim, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (b bench) create(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if _, err := b.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// toItsEnd runs a pod to its end, deletes it and returns its output.
func (b bench) toItsEnd(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	b.create(t, pod)
	began := time.Now()
	var phase corev1.PodPhase
	eventually(t, "pod "+pod.Name+" ends", func(ctx context.Context) error {
		found, err := b.CoreV1().Pods("default").Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if phase = found.Status.Phase; phase == corev1.PodSucceeded || phase == corev1.PodFailed {
			return nil
		}
		return fmt.Errorf("it is %s; %s", phase, b.story(ctx, pod.Name))
	})
	if took := time.Since(began); took > 15*time.Second {
		t.Logf("pod %s took %.0f s: %s", pod.Name, took.Seconds(), b.story(t.Context(), pod.Name))
	}
	output, err := b.CoreV1().Pods("default").GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil || phase != corev1.PodSucceeded {
		t.Errorf("pod %s: %s: %s: %v; %s", pod.Name, phase, output, err, b.story(t.Context(), pod.Name))
	}
	if err := b.CoreV1().Pods("default").Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: of(int64(0))}); err != nil {
		t.Error(err)
	}
	return string(output)
}

// running waits until the pod runs, and says since when.
func (b bench) running(t *testing.T, pod string) (since metav1.Time) {
	t.Helper()
	eventually(t, "pod "+pod+" runs", func(ctx context.Context) error {
		found, err := b.CoreV1().Pods("default").Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(found.Status.ContainerStatuses) == 0 || found.Status.ContainerStatuses[0].State.Running == nil {
			return fmt.Errorf("it is %s; %s", found.Status.Phase, b.story(ctx, pod))
		}
		since = found.Status.ContainerStatuses[0].State.Running.StartedAt
		return nil
	})
	return since
}

// story is what the events say about a pod, and about all claims: it may wait for one.
func (b bench) story(ctx context.Context, pod string) string {
	events, err := b.CoreV1().Events("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, e := range events.Items {
		if about := e.InvolvedObject; about.Name == pod || about.Kind == "PersistentVolumeClaim" {
			lines = append(lines, fmt.Sprintf("%s %s: %s: %s", e.FirstTimestamp.Format(time.TimeOnly), about.Name, e.Reason, e.Message))
		}
	}
	return strings.Join(lines, "; ")
}
