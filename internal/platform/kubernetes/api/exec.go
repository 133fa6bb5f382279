package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
)

// Command is a program to run in a container that runs.
type Command struct {
	Namespace, Pod, Container string
	Args                      []string
	Stdin                     io.Reader // nil is none
	Stdout, Stderr            io.Writer // nil is none
}

// Exec runs a program in a container to its end. Its exit status other than 0 is
// an error; see ExitCode. Streams that break are an error too: who can go on does
// so by itself.
func (c *Client) Exec(ctx context.Context, what Command) error {
	err := c.credentials.stream(ctx, func(config *rest.Config) error { return c.exec(ctx, config, what) })
	if err == nil {
		return nil
	}
	if _, ended := ExitCode(err); ended {
		return fmt.Errorf("%s in pod %s: %w", what.Args[0], what.Pod, err)
	}
	return fmt.Errorf("run %s in pod %s: %w", what.Args[0], what.Pod, Explained(err))
}

func (c *Client) exec(ctx context.Context, config *rest.Config, what Command) error {
	request := c.core.Post().Resource("pods").Namespace(what.Namespace).Name(what.Pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Container: what.Container, Command: what.Args,
			Stdin: what.Stdin != nil, Stdout: what.Stdout != nil, Stderr: what.Stderr != nil,
		}, parameters)
	websocket, err := remotecommand.NewWebSocketExecutor(config, http.MethodGet, request.URL().String())
	if err != nil {
		return err
	}
	spdy, err := remotecommand.NewSPDYExecutor(config, http.MethodPost, request.URL())
	if err != nil {
		return err
	}
	executor, err := remotecommand.NewFallbackExecutor(websocket, spdy, noWebSocket)
	if err != nil {
		return err
	}
	return executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: what.Stdin, Stdout: what.Stdout, Stderr: what.Stderr})
}

// noWebSocket reports whether a server is older than streams over WebSockets.
func noWebSocket(err error) bool {
	return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
}

// ExitCode is the exit status of a program that Exec ran and that failed.
func ExitCode(err error) (code int, ended bool) {
	var status exec.ExitError
	if !errors.As(err, &status) || !status.Exited() {
		return 0, false
	}
	return status.ExitStatus(), true
}
