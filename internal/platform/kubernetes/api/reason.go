package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// ContainerStatus is the status of a container of a pod, init containers included; nil when
// there is none yet.
func ContainerStatus(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for _, all := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		at := slices.IndexFunc(all, func(s corev1.ContainerStatus) bool { return s.Name == container })
		if at >= 0 {
			return &all[at]
		}
	}
	return nil
}

// Ended is how a container of a pod ended; nil while it has not.
func Ended(pod *corev1.Pod, container string) *corev1.ContainerStateTerminated {
	if s := ContainerStatus(pod, container); s != nil {
		return s.State.Terminated
	}
	return nil
}

// final are the reasons of a waiting container that no waiting changes, with what
// to do.
var final = map[string]string{
	"InvalidImageName":           "its image has no valid name",
	"ErrImageNeverPull":          "its image is not on the node, and may not be pulled",
	"ImagePullBackOff":           "its image cannot be pulled: check the name, and whether the registry needs a pull secret",
	"CreateContainerConfigError": "its configuration is not valid",
	"CreateContainerError":       "its container cannot be made",
	"RunContainerError":          "its container cannot be run",
	"CrashLoopBackOff":           "it ends again and again",
}

// late says whether a message is of a container runtime that did not answer within
// kubelet's limit, as on a node that is very busy, or that still does what it was asked
// to before that: kubelet asks again.
func late(message string) bool {
	return strings.Contains(message, context.DeadlineExceeded.Error()) || strings.Contains(message, "is reserved for")
}

// hopeless is an error when something about a pod will not get better.
func hopeless(pod *corev1.Pod) error {
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil && final[w.Reason] != "" && !late(w.Message) {
			return fmt.Errorf("%s (%s, image %s: %s)", final[w.Reason], w.Reason, s.Image, w.Message)
		}
		if e := s.State.Terminated; e != nil && e.ExitCode != 0 && slices.ContainsFunc(pod.Status.InitContainerStatuses, func(i corev1.ContainerStatus) bool { return i.Name == s.Name }) {
			return fmt.Errorf("its container %s, which prepares it, ended with exit status %d: %s", s.Name, e.ExitCode, strings.TrimSpace(e.Message))
		}
	}
	return nil
}

var errUnschedulable = errors.New("no node takes it")

// unschedulable is why no node takes a pod, if that is so. A pod whose volumes are
// still being made is not meant.
func unschedulable(pod *corev1.Pod) (string, bool) {
	if pod == nil {
		return "", false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Message, !strings.Contains(c.Message, "PersistentVolumeClaim") && !strings.Contains(c.Message, "persistentvolumeclaim")
		}
	}
	return "", false
}

// whyNotUp adds to an error what the cluster says about a pod that is not up.
func (c *Client) whyNotUp(ctx context.Context, name string, pod *corev1.Pod, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if pod == nil {
		return fmt.Errorf("pod %s did not come up: %w", name, err)
	}
	return fmt.Errorf("pod %s did not come up: %w%s", name, err, c.Why(ctx, pod))
}

// Why is what the cluster says about a pod that is not as it should be: its
// conditions, the claims that it waits for, its last events and the end of its log.
// Empty where it says nothing.
func (c *Client) Why(ctx context.Context, pod *corev1.Pod) string {
	text := &strings.Builder{}
	if message, _ := unschedulable(pod); message != "" {
		fmt.Fprintf(text, "; the scheduler says: %s", message)
	}
	c.pendingClaims(ctx, pod, text)
	for _, e := range c.Warnings(ctx, pod) {
		fmt.Fprintf(text, "; event %s", e)
	}
	for _, s := range pod.Status.ContainerStatuses {
		if s.RestartCount == 0 && s.State.Terminated == nil {
			continue
		}
		if tail := c.Tail(ctx, pod, s.Name); tail != "" {
			fmt.Fprintf(text, "; the end of the log of %s:\n%s", s.Name, tail)
		}
	}
	return text.String()
}

// pendingClaims names the claims of a pod that have no volume, and why.
func (c *Client) pendingClaims(ctx context.Context, pod *corev1.Pod, text *strings.Builder) {
	if pod.Spec.NodeName != "" {
		return
	}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim, err := Of[corev1.PersistentVolumeClaim](c, pod.Namespace).Get(ctx, v.PersistentVolumeClaim.ClaimName)
		if err != nil {
			fmt.Fprintf(text, "; %v", err)
			continue
		}
		if claim.Status.Phase != corev1.ClaimPending {
			continue
		}
		class := "the default"
		if claim.Spec.StorageClassName != nil {
			class = *claim.Spec.StorageClassName
		}
		fmt.Fprintf(text, "; claim %s of StorageClass %s is pending", claim.Name, class)
		for _, e := range c.Happened(ctx, claim) {
			fmt.Fprintf(text, ": %s", e)
		}
	}
}

// warningsShown bounds how many events an error repeats.
const warningsShown = 3

// ProvisioningFailed is the reason of the event by which a provisioner refuses a claim.
const ProvisioningFailed = "ProvisioningFailed"

// Warnings are the last events about an object that are no good news, as "reason:
// message", without repetitions. There is none where they may not be read.
func (c *Client) Warnings(ctx context.Context, o metav1.Object) []string {
	return c.events(ctx, o, func(e corev1.Event) bool { return e.Type == corev1.EventTypeWarning })
}

// Happened are the last events of any kind, likewise.
func (c *Client) Happened(ctx context.Context, o metav1.Object) []string {
	return c.events(ctx, o, func(corev1.Event) bool { return true })
}

func (c *Client) events(ctx context.Context, o metav1.Object, some func(corev1.Event) bool) []string {
	about := fields.OneTermEqualSelector("involvedObject.uid", string(o.GetUID())).String()
	events, err := Of[corev1.Event](c, o.GetNamespace()).List(ctx, metav1.ListOptions{FieldSelector: about})
	if err != nil {
		return nil
	}
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return when(a).Compare(when(b)) })
	var all []string
	for _, e := range events {
		text := e.Reason + ": " + strings.TrimSpace(e.Message)
		if e.InvolvedObject.UID == o.GetUID() && some(e) && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all[max(0, len(all)-warningsShown):]
}

// when an event was seen last.
func when(e corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	}
	return e.EventTime.Time
}

// What of a log goes into an error.
const (
	tailLines = 20
	tailBytes = 16 << 10
)

// Tail is the end of the log of a container, empty when it cannot be read.
func (c *Client) Tail(ctx context.Context, pod *corev1.Pod, container string) string {
	lines, bytesAtMost := int64(tailLines), int64(tailBytes)
	log, err := c.Log(ctx, pod.Namespace, pod.Name, &corev1.PodLogOptions{Container: container, TailLines: &lines, LimitBytes: &bytesAtMost})
	if err != nil {
		return ""
	}
	defer log.Close()
	text, _ := io.ReadAll(log) // what could be read is enough
	return string(bytes.TrimSpace(text))
}
