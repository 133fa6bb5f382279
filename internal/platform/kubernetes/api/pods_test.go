package api

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
)

func pod(name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name, p.Namespace, p.UID, p.Labels = name, "space", types.UID("uid of "+name), Labels("run")
	return p
}

func follow(t *testing.T) (*Client, *Pods) {
	t.Helper()
	c := &Client{dynamic: fake.NewSimpleDynamicClient(scheme)}
	p, err := c.Follow(t.Context(), "space", OfRun("run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return c, p
}

func TestAwaitSeesChangesAndTheEnd(t *testing.T) {
	c, pods := follow(t)
	one := pod("one")
	if _, err := Of[corev1.Pod](c, "space").Create(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	ended, uid := make(chan error, 1), one.UID
	go func() {
		_, err := pods.Await(t.Context(), "one", uid, func(*corev1.Pod) (bool, error) { return false, nil })
		ended <- err
	}()
	one = one.DeepCopy()
	one.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	pod := Of[corev1.Pod](c, "space")
	changed, err := untyped(one, pod.kind)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pod.resource.UpdateStatus(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := pods.AwaitRunning(t.Context(), "one", one.UID, "main"); err != nil {
		t.Fatal(err)
	}
	if err := pod.resource.Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("the end is %v", err)
	}
	if _, err := pods.Await(t.Context(), "one", one.UID, func(*corev1.Pod) (bool, error) { return false, nil }); !errors.Is(err, ErrGone) {
		t.Errorf("who waits too late hears %v", err)
	}
}

func TestAPodThatCannotComeUpSaysWhy(t *testing.T) {
	c, pods := follow(t)
	one := pod("one")
	one.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: "nowhere:1",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "back-off"}}}}
	if _, err := Of[corev1.Pod](c, "space").Create(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	event := &corev1.Event{Type: corev1.EventTypeWarning, Reason: "Failed", Message: "pull access denied", LastTimestamp: metav1.NewTime(time.Now())}
	event.Name, event.Namespace, event.InvolvedObject.UID = "e", "space", one.UID
	if _, err := Of[corev1.Event](c, "space").Create(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	_, err := pods.AwaitRunning(t.Context(), "one", one.UID, "main")
	for _, want := range []string{"nowhere:1", "ImagePullBackOff", "pull secret", "pull access denied"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error says nothing of %q: %v", want, err)
		}
	}
}

// What a busy container runtime did not do in time is tried again; what it refuses is not.
func TestALateRuntimeIsWaitedFor(t *testing.T) {
	for message, want := range map[string]bool{
		"context deadline exceeded": false,
		`failed to reserve container name "db_space_0": name "db_space_0" is reserved for "25f1"`: false,
		`exec: "no-such-program": executable file not found in $PATH`:                             true,
	} {
		p := pod("db")
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "db", State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "RunContainerError", Message: message},
		}}}
		if err := hopeless(p); (err != nil) != want {
			t.Errorf("%s: %v", message, err)
		}
	}
}
