package detach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/host/archive"
	"plimsoll/internal/platform/kubernetes/api"
)

// tries is how often a stream that breaks is begun again.
const tries = 5

// Fetch copies a run directory to the local directory to, which must not exist. It appears
// whole or not at all. If the campaign is in progress, the copy shows its present state.
func (h Home) Fetch(ctx context.Context, run, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s is there already: move it away, or name another directory", to)
	}
	job, err := h.known(ctx, run)
	if err != nil {
		return err
	}
	pod, release, err := h.like(job).reader(ctx, run, job.Name)
	if err != nil {
		return err
	}
	err = h.receive(ctx, pod, run, to)
	return errors.Join(err, release())
}

// receive copies the directory to a temporary one in the same parent, and then renames it.
func (h Home) receive(ctx context.Context, pod, run, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	below, err := os.MkdirTemp(filepath.Dir(to), ".fetch-*")
	if err != nil {
		return err
	}
	err = os.ErrInvalid
	for try := 0; try < tries && err != nil && ctx.Err() == nil; try++ {
		err = h.copyOnce(ctx, pod, dir(run), filepath.Join(below, "run"))
		if _, ended := api.ExitCode(err); ended {
			break
		}
	}
	if err == nil {
		err = os.Rename(filepath.Join(below, "run"), to)
	}
	return errors.Join(err, os.RemoveAll(below))
}

func (h Home) copyOnce(ctx context.Context, pod, from, to string) error {
	out, in := io.Pipe()
	sent := make(chan error, 1)
	why := &tail{}
	go func() {
		err := h.Client.Exec(ctx, api.Command{Namespace: h.Namespace, Pod: pod, Container: container, Args: []string{"/plimsoll", "pod", "archive", from}, Stdout: in, Stderr: why})
		sent <- err
		in.CloseWithError(err) // nil is the end of the file
	}()
	err := archive.Read(out, to)
	out.CloseWithError(io.ErrClosedPipe)
	if sendErr := <-sent; sendErr != nil && err != nil {
		return fmt.Errorf("fetch %s: %w: %s", from, sendErr, why.text)
	}
	return err
}

// tail keeps the last that a program said.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4096):]
	return len(p), nil
}

// reader gives a pod that has the run's directory: the campaign's while it runs, one
// of our own otherwise. release removes that.
func (h Home) reader(ctx context.Context, run, job string) (name string, release func() error, err error) {
	running, err := api.Of[corev1.Pod](h.Client, h.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + job, FieldSelector: "status.phase=Running"})
	if err != nil {
		return "", nil, api.Explained(err)
	}
	if len(running) > 0 {
		return running[0].Name, func() error { return nil }, nil
	}
	pod := h.fetchPod(ctx, run)
	release = func() error {
		patient := context.WithoutCancel(ctx)
		return errors.Join(h.Client.Delete(patient, pod, 0), h.Client.AwaitGone(patient, pod))
	}
	if err := h.awaitReader(ctx, pod); err != nil {
		return "", nil, errors.Join(err, release())
	}
	return pod.Name, release, nil
}

// longestFetch ends the pod of a fetch that was killed.
const longestFetch = 6 * time.Hour

func (h Home) fetchPod(ctx context.Context, run string) *corev1.Pod {
	spec := h.pod(ctx, "pod", "idle")
	limit := int64(longestFetch / time.Second)
	spec.ActiveDeadlineSeconds = &limit
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: api.Name("plimsoll-fetch", run, strconv.FormatInt(time.Now().UnixNano(), 36)), Namespace: h.Namespace, Labels: labels(fetchRole, run),
		},
		Spec: spec,
	}
}

func (h Home) awaitReader(ctx context.Context, pod *corev1.Pod) error {
	pods, err := h.Client.Follow(ctx, h.Namespace, selector(fetchRole))
	if err != nil {
		return err
	}
	defer pods.Close()
	if err := h.Client.Apply(ctx, pod); err != nil {
		return err
	}
	_, err = pods.AwaitRunning(ctx, pod.Name, pod.UID, container)
	return err
}
