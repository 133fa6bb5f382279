package kube

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FollowLog copies the log of a container that has started, from its beginning to
// its end, also over streams that break. It ends when the container has, when the
// pod is gone or ctx is done: what was written by then has been copied. ended says
// that there is nothing more to come.
func (c *Client) FollowLog(ctx context.Context, namespace, pod, container string, to io.Writer, ended func() bool) error {
	var last time.Time
	for {
		options := &corev1.PodLogOptions{Container: container, Follow: true, Timestamps: true}
		if !last.IsZero() {
			since := metav1.NewTime(last.Add(-time.Second)) // which has whole seconds only
			options.SinceTime = &since
		}
		over := ended() // before the stream is opened: it then brings all
		stream, err := c.Set.CoreV1().Pods(namespace).GetLogs(pod, options).Stream(ctx)
		if err == nil {
			last, err = copyLines(stream, to, last)
			stream.Close()
		}
		switch {
		case err != nil && isWrite(err):
			return err
		case ctx.Err() != nil, over, apierrors.IsNotFound(err):
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// writeError tells the failure of who is written to from that of the stream.
type writeError struct{ error }

func isWrite(err error) bool {
	_, ok := err.(writeError)
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
		if err != nil && err != bufio.ErrBufferFull {
			if err == io.EOF {
				err = nil
			}
			return last, err
		}
	}
}
