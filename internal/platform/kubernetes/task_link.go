package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/pod"
)

// link is a conversation with the first process of a task's pod.
type link struct {
	*pod.Link
	offset time.Duration // of the clock there
	end    context.CancelFunc
}

func (l *link) close() {
	_ = l.Close()
	l.end()
}

// clockRounds is how often a clock is asked for its offset.
const clockRounds = 8

// linkLimit is how long it may take until a pod that runs can be talked to, with
// the API server away for a minute.
const linkLimit = 2 * time.Minute

// connect opens a link and measures the clock's offset. It tries again until the pod
// has ended or ctx is done.
func (a *tasks) connect(ctx context.Context, of *corev1.Pod) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, linkLimit)
	defer cancel()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		l := a.dial(of)
		stop := context.AfterFunc(ctx, l.close)
		ahead, within, err := l.Offset(clockRounds)
		if stop() && err == nil {
			l.offset = ahead
			a.k.env.Log.Debug("the clock of a task", "pod", of.Name, "ahead", ahead, "within", within)
			return l, nil
		}
		l.close()
		switch {
		case a.hasEnded(of):
			return nil, fmt.Errorf("%w: %w", errPodEnded, err)
		case apierrors.IsForbidden(err):
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("talk to pod %s: %w", of.Name, err)
		case <-time.After(pause):
		}
	}
}

var errPodEnded = errors.New("its pod has ended")

// hasEnded reports whether a pod as it was last seen can run nothing any more.
func (a *tasks) hasEnded(of *corev1.Pod) bool {
	now := a.k.pods.Get(of.Name)
	return now == nil || now.UID != of.UID || podEnded(now)
}

func podEnded(now *corev1.Pod) bool {
	return now.Status.Phase == corev1.PodFailed || now.Status.Phase == corev1.PodSucceeded || api.Ended(now, taskContainer) != nil
}

// dial opens a link that lasts until it is closed or breaks. That it cannot be
// opened shows when it is used.
func (a *tasks) dial(to *corev1.Pod) *link {
	ctx, end := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	go func() {
		err := a.exec(ctx, to, in, out, "link")
		_ = out.CloseWithError(err) // nil is io.EOF
		_ = in.CloseWithError(err)
	}()
	return &link{Link: pod.NewLink(stdin, stdout), end: func() {
		end()
		_ = stdout.Close()
	}}
}

// exec runs `plimsoll pod` in a task's pod.
func (a *tasks) exec(ctx context.Context, in *corev1.Pod, stdin io.Reader, stdout io.Writer, arguments ...string) error {
	return a.k.client.Exec(ctx, api.Command{
		Namespace: in.Namespace, Pod: in.Name, Container: taskContainer,
		Args:  append([]string{pod.Place(pod.Directory).Program(), "pod"}, arguments...),
		Stdin: stdin, Stdout: stdout,
	})
}
