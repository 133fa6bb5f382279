package detach

import (
	"context"
	"fmt"
	"io"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"plimsoll/internal/platform/kubernetes/api"
)

// pause is between two looks at a Job whose pod has ended: whether another pod comes
// is decided by then.
const pause = time.Second

// Attach copies what a campaign writes, from its beginning and until it ends, and
// gives its exit code. It goes on with the next pod of a campaign that is continued.
// Ending ctx ends the copying alone.
func (h Home) Attach(ctx context.Context, run string, out io.Writer) (code int, err error) {
	job, err := h.known(ctx, run)
	if err != nil {
		return 0, err
	}
	pods, err := h.Client.Follow(ctx, h.Namespace, podsOf(job))
	if err != nil {
		return 0, err
	}
	defer pods.Close()
	for last := types.UID(""); ; {
		pod, err := h.nextPod(ctx, pods, run, last)
		if err != nil || pod == nil {
			return h.exitCode(ctx, run, pods.All(), err)
		}
		last = pod.UID
		if err := h.Client.FollowLog(ctx, h.Namespace, pod.Name, container, out, whenEnded(ctx, pods, pod)); err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
}

// whenEnded is closed when the container of a pod has ended, or the pod is gone.
func whenEnded(ctx context.Context, pods *api.Pods, pod *corev1.Pod) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = pods.Await(ctx, pod.Name, pod.UID, func(now *corev1.Pod) (bool, error) { return api.Ended(now, container) != nil, nil })
	}()
	return ended
}

// nextPod waits for a pod of a run that is newer than another one, and until its
// container runs or has ended. It gives nil when the run is over.
func (h Home) nextPod(ctx context.Context, pods *api.Pods, run string, after types.UID) (*corev1.Pod, error) {
	for {
		if pod := newest(pods.All(), after); pod != nil {
			return pods.AwaitRunning(ctx, pod.Name, pod.UID, container)
		}
		job, err := h.job(ctx, run)
		if err != nil {
			return nil, err
		}
		if stateOf(job) != Running {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func newest(pods []*corev1.Pod, after types.UID) (found *corev1.Pod) {
	var since time.Time
	for _, pod := range pods {
		if pod.UID == after {
			since = pod.CreationTimestamp.Time
		}
	}
	for _, pod := range pods {
		if pod.UID != after && !pod.CreationTimestamp.Time.Before(since) && (found == nil || found.CreationTimestamp.Before(&pod.CreationTimestamp)) {
			found = pod
		}
	}
	return found
}

// exitCode is the exit code of a finished run.
func (h Home) exitCode(ctx context.Context, run string, pods []*corev1.Pod, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	job, err := h.job(ctx, run)
	if err != nil {
		return 0, err
	}
	switch stateOf(job) {
	case Done:
		return 0, nil
	case Stopped:
		return interrupted, nil
	}
	if pod := newest(pods, ""); pod != nil {
		if e := api.Ended(pod, container); e != nil {
			return int(e.ExitCode), nil
		}
	}
	return 0, fmt.Errorf("run %s failed: %s", run, whyFailed(job))
}

// interrupted is the exit code of a campaign that was stopped.
const interrupted = 130

func whyFailed(job *batchv1.Job) string {
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			return c.Reason + ": " + c.Message
		}
	}
	return "its pod is gone"
}
