package cluster

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// namespace makes one, and deletes it with all that is in it after the test.
func (b bench) namespace(t *testing.T, name string) {
	t.Helper()
	_, err := b.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.CoreV1().Namespaces().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// waiting is what keeps a pod's only container from running.
func (b bench) waiting(t *testing.T, pod string, reasons ...string) {
	t.Helper()
	eventually(t, fmt.Sprintf("pod %s waits because of one of %v", pod, reasons), func(ctx context.Context) error {
		found, err := b.CoreV1().Pods("default").Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range found.Status.Conditions {
			if c.Status == corev1.ConditionFalse && slices.Contains(reasons, c.Reason) {
				return nil
			}
		}
		for _, c := range found.Status.ContainerStatuses {
			if c.State.Waiting != nil && slices.Contains(reasons, c.State.Waiting.Reason) {
				return nil
			}
		}
		return fmt.Errorf("%s; %s", found.Status.Phase, b.story(ctx, pod))
	})
	if err := b.CoreV1().Pods("default").Delete(t.Context(), pod, metav1.DeleteOptions{GracePeriodSeconds: of(int64(0))}); err != nil {
		t.Error(err)
	}
}

// A class that nobody makes volumes for has claims that are never bound.
func (b bench) claimThatIsNeverBound(t *testing.T) {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "nobodys"}, Provisioner: "nobody.plimsoll.test"}
	if _, err := b.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.claim(t, "unbound", "nobodys", nil)
	pod := b.pod("unbound", "tools", "/bin/true")
	mount(pod, "unbound")
	b.create(t, pod)
	b.waiting(t, "unbound", corev1.PodReasonUnschedulable)
	b.delete(t, "unbound")
	if err := b.StorageV1().StorageClasses().Delete(t.Context(), "nobodys", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// Images come from archives only: all others cannot be pulled.
func (b bench) imageThatCannotBePulled(t *testing.T) {
	pod := b.pod("unpulled", "tools", "/bin/true")
	pod.Spec.Containers[0].Image = "plimsoll.test/none:1"
	b.create(t, pod)
	b.waiting(t, "unpulled", "ErrImagePull", "ImagePullBackOff")
}

func (b bench) quotaExceeded(t *testing.T) {
	b.namespace(t, "small")
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "claims"}}
	quota.Spec.Hard = corev1.ResourceList{corev1.ResourcePersistentVolumeClaims: resource.MustParse("0")}
	if _, err := b.CoreV1().ResourceQuotas("small").Create(t.Context(), quota, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the quota is exceeded", func(ctx context.Context) error {
		_, err := b.CoreV1().PersistentVolumeClaims("small").Create(ctx, aClaim("one-too-many", "fast", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota: claims") {
			return nil
		}
		return fmt.Errorf("a claim was refused with %w", err)
	})
}

// A service account may do what its roles permit it.
func (b bench) permissionsOfAnAccount(t *testing.T) {
	b.namespace(t, "permitted")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.CoreV1().ServiceAccounts("permitted").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "reader"}}, metav1.CreateOptions{})
	must(err)
	_, err = b.RbacV1().Roles("permitted").Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reads"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}}},
	}, metav1.CreateOptions{})
	must(err)
	_, err = b.RbacV1().RoleBindings("permitted").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reads"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reads"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "reader", Namespace: "permitted"}},
	}, metav1.CreateOptions{})
	must(err)
	file, err := b.KubeconfigFor(t.Context(), "permitted", "reader")
	must(err)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the token: %v, %v", info.Mode(), err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	must(err)
	reader, err := kubernetes.NewForConfig(config)
	must(err)
	eventually(t, "the role is in effect", func(ctx context.Context) error {
		_, err := reader.CoreV1().Pods("permitted").List(ctx, metav1.ListOptions{})
		return err
	})
	if _, err := reader.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("pods of another namespace: %v", err)
	}
	if _, err := reader.CoreV1().Secrets("permitted").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("secrets: %v", err)
	}
}

// A new object is in the list of everything until it is deleted.
func (b bench) everythingIsListed(t *testing.T) {
	list := func(ctx context.Context) []string {
		all, err := b.Everything(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := list(t.Context())
	b.claim(t, "listed", "fast", nil)
	volume := ""
	eventually(t, "the claim is bound", func(ctx context.Context) error {
		found, err := b.CoreV1().PersistentVolumeClaims("default").Get(ctx, "listed", metav1.GetOptions{})
		if volume = found.Spec.VolumeName; err == nil && volume == "" {
			err = fmt.Errorf("it is %s", found.Status.Phase)
		}
		return err
	})
	all := list(t.Context())
	for _, want := range []string{"persistentvolumeclaims default/listed", "persistentvolumes " + volume, "storageclasses.storage.k8s.io fast", "nodes node1"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not among %v", want, all)
		}
	}
	b.delete(t, "listed")
	eventually(t, "the list is as before", func(ctx context.Context) error {
		for _, object := range list(ctx) {
			if !slices.Contains(before, object) {
				return fmt.Errorf("it has %s", object)
			}
		}
		return nil
	})
}

// Processes in a container are killed by name, and its first one without.
func (b bench) processKilled(t *testing.T) {
	b.create(t, b.pod("killed", "tools", "/bin/sh", "-c", "sleep 600; echo sleep has ended; exec tail -f /dev/null"))
	b.running(t, "killed")
	log := func(want string) {
		eventually(t, "the pod's log has "+want, func(ctx context.Context) error {
			text, err := b.CoreV1().Pods("default").GetLogs("killed", &corev1.PodLogOptions{}).DoRaw(ctx)
			if err == nil && !strings.Contains(string(text), want) {
				err = fmt.Errorf("it is %q", text)
			}
			return err
		})
	}
	eventually(t, "sleep is killed", func(ctx context.Context) error { return b.KillProcess(ctx, "default", "killed", "main", "sleep") })
	log("sleep has ended")
	if err := b.KillProcess(t.Context(), "default", "killed", "main", "sleep"); err == nil || !strings.Contains(err.Error(), "tail") {
		t.Errorf("a program that does not run was killed: %v", err)
	}
	if err := b.KillProcess(t.Context(), "default", "killed", "main", ""); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the container ends", func(ctx context.Context) error {
		found, err := b.CoreV1().Pods("default").Get(ctx, "killed", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if s := found.Status.ContainerStatuses[0].State.Terminated; s != nil && s.ExitCode == 137 {
			return nil
		}
		return fmt.Errorf("its state is %v", found.Status.ContainerStatuses[0].State)
	})
	if err := b.CoreV1().Pods("default").Delete(t.Context(), "killed", metav1.DeleteOptions{GracePeriodSeconds: of(int64(0))}); err != nil {
		t.Error(err)
	}
}
