package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"plimsoll/internal/platform/kubernetes/api"
	podprogram "plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/test/cluster/images"
)

// Simulated nodes have room for many pods. Pods of the plimsoll image behave as they do on real
// nodes.
func TestSimulatedCluster(t *testing.T) {
	b := bench{Cluster: Start(t, Options{Nodes: 3})}
	var err error
	if b.config, err = b.Config(); err != nil {
		t.Fatal(err)
	}
	if b.Interface, err = b.Client(); err != nil {
		t.Fatal(err)
	}
	t.Run("many pods", b.manySimulatedPods)
	t.Run("real pod", b.podOfPlimsoll)
	t.Run("init container", b.plimsollIsBrought)
	t.Run("supervisor", b.execBesideAProcess)
	t.Run("calls", b.callsAreCounted)
}

// simulated is a pod of an image that nobody has.
func (b bench) simulated(i int) *corev1.Pod {
	pod := b.pod(fmt.Sprintf("simulated-%d", i), "plimsoll", "/anything")
	pod.Spec.Containers[0].Image = "plimsoll.test/anything:1"
	pod.Labels = map[string]string{"simulated": "yes"}
	return pod
}

func (b bench) manySimulatedPods(t *testing.T) {
	const many = 150
	for i := range many {
		pod := b.simulated(i)
		b.claim(t, pod.Name, "fast", nil)
		mount(pod, pod.Name)
		b.create(t, pod)
	}
	nodes := map[string]bool{}
	eventually(t, "all pods are ready", func(ctx context.Context) error {
		found, err := b.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "simulated=yes"})
		if err != nil {
			return err
		}
		ready := 0
		for _, pod := range found.Items {
			if pod.Status.Phase == corev1.PodRunning && pod.Status.ContainerStatuses[0].Ready && pod.Status.PodIP != "" {
				ready++
				nodes[pod.Spec.NodeName] = true
			}
		}
		if ready != many {
			return fmt.Errorf("%d are ready; %s", ready, b.story(ctx, "simulated-0"))
		}
		return nil
	})
	if len(nodes) != 3 {
		t.Errorf("the pods are on %v", nodes)
	}
	for i := range many {
		name := b.simulated(i).Name
		if err := b.CoreV1().Pods("default").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		b.delete(t, name)
	}
	eventually(t, "pods and volumes are gone", func(ctx context.Context) error {
		all, err := b.Everything(ctx)
		for _, object := range all {
			if strings.Contains(object, "simulated-") || strings.HasPrefix(object, "persistentvolumes ") {
				return errors.Join(err, errors.New(object+" is there"))
			}
		}
		return err
	})
}

func (b bench) podOfPlimsoll(t *testing.T) {
	b.claim(t, "of-plimsoll", "fast", nil)
	pod := b.pod("version", "plimsoll", "/plimsoll", "--version")
	mount(pod, "of-plimsoll")
	if output := b.toItsEnd(t, pod); !strings.HasPrefix(output, "plimsoll") {
		t.Errorf("its log is %q", output)
	}
	b.create(t, b.pod("wrong", "plimsoll", "/plimsoll", "no-such-command"))
	eventually(t, "a pod that fails has failed", func(ctx context.Context) error {
		found, err := b.CoreV1().Pods("default").Get(ctx, "wrong", metav1.GetOptions{})
		if err == nil && found.Status.Phase != corev1.PodFailed {
			err = fmt.Errorf("it is %s", found.Status.Phase)
		}
		return err
	})
}

// A container that runs first brings Plimsoll into an image that does not have it.
func (b bench) plimsollIsBrought(t *testing.T) {
	pod := b.pod("brought", "plimsoll", podprogram.Installed, "--version")
	main := &pod.Spec.Containers[0]
	main.Image = images.Empty
	main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: "plimsoll", MountPath: podprogram.InstallDirectory})
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "plimsoll", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	pod.Spec.InitContainers = []corev1.Container{{
		Name: "install", Image: images.Plimsoll, Args: []string{"pod", "install"},
		VolumeMounts: []corev1.VolumeMount{{Name: "plimsoll", MountPath: podprogram.InstallDirectory}},
	}}
	if output := b.toItsEnd(t, pod); !strings.HasPrefix(output, "plimsoll") {
		t.Errorf("its log is %q", output)
	}
}

// A program that is started in a container with the supervisor of tasks finds it.
func (b bench) execBesideAProcess(t *testing.T) {
	pod := b.pod("supervisor", "plimsoll", "/plimsoll", "pod", "task")
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "task", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
	pod.Spec.Containers[0].VolumeMounts = append(pod.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "task", MountPath: "/task"})
	b.create(t, pod)
	b.running(t, "supervisor")
	client, err := api.Connect(t.Context(), b.Kubeconfig, "")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, arguments ...string) (string, error) {
		var out, errs bytes.Buffer
		err := client.Exec(ctx, api.Command{Namespace: "default", Pod: "supervisor", Container: "main", Args: arguments, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
		if err != nil {
			err = fmt.Errorf("%w: %s", err, errs.String())
		}
		return out.String(), err
	}
	eventually(t, "the supervisor answers", func(ctx context.Context) error {
		text, err := ask(ctx, "/task/plimsoll", "pod", "status")
		if err == nil && !strings.Contains(text, `"given":false`) {
			err = fmt.Errorf("its status is %q", text)
		}
		return err
	})
	_, err = ask(t.Context(), "/plimsoll", "pod", "nonsense")
	if code, ended := api.ExitCode(err); !ended || code == 0 {
		t.Errorf("a command that fails gives %v", err)
	}
	if err := b.CoreV1().Pods("default").Delete(t.Context(), "supervisor", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod is gone", func(ctx context.Context) error {
		_, err := b.CoreV1().Pods("default").Get(ctx, "supervisor", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is there: %w", err)
	})
}

// What a service account asks is counted, everybody else's calls are not.
func (b bench) callsAreCounted(t *testing.T) {
	b.namespace(t, "counted")
	if _, err := b.CoreV1().ServiceAccounts("counted").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "caller"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	file, err := b.KubeconfigFor(t.Context(), "counted", "caller")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := caller.CoreV1().Pods("counted").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("an account without roles lists pods: %v", err)
		}
	}
	eventually(t, "the calls are counted", func(context.Context) error {
		calls, err := b.Calls(ServiceAccount("counted", "caller"))
		if err == nil && (len(calls) != 1 || calls["list pods"] != 3) {
			err = fmt.Errorf("there are %v", calls)
		}
		return err
	})
}
