package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Log reads the log of a container; the error is the API's.
func (c *Client) Log(ctx context.Context, namespace, pod string, o *corev1.PodLogOptions) (io.ReadCloser, error) {
	return c.core.Get().Namespace(namespace).Resource("pods").Name(pod).SubResource("log").VersionedParams(o, parameters).Stream(ctx)
}

// Kubelet asks the kubelet of a node, by way of the API server; the error is the API's.
func (c *Client) Kubelet(ctx context.Context, node, path string) (io.ReadCloser, error) {
	return c.core.Get().Resource("nodes").Name(node).SubResource("proxy").Suffix(path).Stream(ctx)
}

// FollowLog copies the log of a container that has started, from its beginning to its end,
// even if streams break. It ends when the container has ended, the pod is gone or ctx is
// done; everything written by then has been copied. ended is closed when the container has
// ended.
func (c *Client) FollowLog(ctx context.Context, namespace, pod, container string, to io.Writer, ended <-chan struct{}) error {
	var last time.Time
	for after := 0; ; { // tries after the end
		options := &corev1.PodLogOptions{Container: container, Follow: true, Timestamps: true}
		if !last.IsZero() {
			since := metav1.NewTime(last.Add(-time.Second)) // which has whole seconds only
			options.SinceTime = &since
		}
		over := isClosed(ended) // before the stream is opened: it then brings all
		stream, err := c.Log(ctx, namespace, pod, options)
		if err == nil {
			last, err = copyLines(stream, to, last)
			_ = stream.Close()
		}
		switch {
		case err != nil && isWrite(err):
			return err
		case ctx.Err() != nil, apierrors.IsNotFound(err), over && err == nil && (after > 0 || !last.IsZero()):
			return nil
		case over && after == triesAfter:
			return err
		case over: // it could not be read, or the last that a container wrote is not in it yet
			after++
		}
		if pause(ctx, ended, err == nil && !over) && (ctx.Err() != nil || !last.IsZero()) {
			return nil
		}
	}
}

// triesAfter is how often the log of a container that has ended is asked for again.
const triesAfter = 5

// endDelay is how long after the end of a container's log the end of the container may
// become known.
const endDelay = 3 * time.Second

// pause is that before a log is read further. A stream that did not break ends with
// its container: there is then nothing more.
func pause(ctx context.Context, ended <-chan struct{}, whole bool) (over bool) {
	if !whole {
		ended = nil
	}
	limit := retryPause
	if whole {
		limit = endDelay
	}
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return true
	case <-time.After(limit):
		return false
	}
}

// writeError marks a failure to write to the caller, as opposed to a failure of the stream.
type writeError struct{ error }

func isWrite(err error) bool {
	_, ok := errors.AsType[writeError](err)
	return ok
}

// copyLines copies lines without the times before them, but for those that came
// before: it gives the time of the last one.
func copyLines(from io.Reader, to io.Writer, last time.Time) (time.Time, error) {
	lines := bufio.NewReader(from)
	for begins, skip := true, false; ; {
		part, err := lines.ReadSlice('\n')
		if begins && len(part) > 0 {
			stamp, text, found := bytes.Cut(part, []byte(" "))
			if at, bad := time.Parse(time.RFC3339Nano, string(stamp)); found && bad == nil {
				if skip = !at.After(last); !skip {
					last = at
				}
				part = text
			}
		}
		if !skip && len(part) > 0 {
			if _, err := to.Write(part); err != nil {
				return last, writeError{err}
			}
		}
		begins = err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if err == io.EOF {
				err = nil
			}
			return last, err
		}
	}
}
