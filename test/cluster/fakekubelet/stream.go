package fakekubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	remotecommandconsts "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/tools/portforward"
)

// limit is how long the other side may take to open its streams.
const limit = 30 * time.Second

// upgrade makes streams of a request; nil when that is not what was asked for.
func upgrade(w http.ResponseWriter, r *http.Request, protocol string) (httpstream.Connection, <-chan httpstream.Stream) {
	if _, err := httpstream.Handshake(r, w, []string{protocol}); err != nil {
		return nil, nil // which has been answered
	}
	opened := make(chan httpstream.Stream, 16)
	conn := spdy.NewResponseUpgraderWithPings(limit/2).UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
		go func() {
			<-replied
			opened <- s
		}()
		return nil
	})
	return conn, opened
}

// serveExec runs a program with the streams of the request.
func (c *container) serveExec(w http.ResponseWriter, r *http.Request) {
	conn, opened := upgrade(w, r, remotecommandconsts.StreamProtocolV4Name)
	if conn == nil {
		return
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	go func() {
		select {
		case <-conn.CloseChan(): // nobody listens any more
			cancel()
		case <-ctx.Done():
		}
	}()
	streams := map[string]httpstream.Stream{}
	for range wanted(r) {
		select {
		case s := <-opened:
			streams[s.Headers().Get(corev1.StreamType)] = s
		case <-time.After(limit):
			return
		}
	}
	errs := streams[corev1.StreamTypeError]
	if errs == nil {
		return
	}
	code, err := c.exec(ctx, r.URL.Query()["command"], reader(streams[corev1.StreamTypeStdin]), writer(streams[corev1.StreamTypeStdout]), writer(streams[corev1.StreamTypeStderr]))
	text, marshalErr := json.Marshal(outcome(code, err))
	if marshalErr == nil {
		_, _ = errs.Write(text) // who has gone does not ask
	}
}

// wanted is how many streams a request comes with.
func wanted(r *http.Request) int {
	n := 1 // the stream of errors
	for _, name := range []string{corev1.ExecStdinParam, corev1.ExecStdoutParam, corev1.ExecStderrParam} {
		if yes, _ := strconv.ParseBool(r.FormValue(name)); yes {
			n++
		}
	}
	return n
}

// reader and writer turn no stream into no interface.
func reader(s httpstream.Stream) io.Reader {
	if s == nil {
		return nil
	}
	return s
}

func writer(s httpstream.Stream) io.Writer {
	if s == nil {
		return nil
	}
	return s
}

// outcome is how a kubelet says how a program ended.
func outcome(code int, err error) metav1.Status {
	switch {
	case err != nil:
		return metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonInternalError, Message: err.Error()}
	case code == 0:
		return metav1.Status{Status: metav1.StatusSuccess}
	}
	return metav1.Status{
		Status: metav1.StatusFailure, Reason: remotecommandconsts.NonZeroExitCodeReason, Message: fmt.Sprintf("command terminated with exit code %d", code),
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: remotecommandconsts.ExitCodeCauseType, Message: strconv.Itoa(code)}}},
	}
}

// serveForward joins streams to ports of this machine, which the processes of pods share.
func (c *container) serveForward(w http.ResponseWriter, r *http.Request) {
	conn, opened := upgrade(w, r, portforward.PortForwardProtocolV1Name)
	if conn == nil {
		return
	}
	defer conn.Close()
	pairs := map[string]map[string]httpstream.Stream{} // by request and type
	for {
		select {
		case <-conn.CloseChan():
			return
		case s := <-opened:
			id := s.Headers().Get(corev1.PortForwardRequestIDHeader)
			if pairs[id] == nil {
				pairs[id] = map[string]httpstream.Stream{}
			}
			pairs[id][s.Headers().Get(corev1.StreamType)] = s
			data, failure := pairs[id][corev1.StreamTypeData], pairs[id][corev1.StreamTypeError]
			if data != nil && failure != nil {
				delete(pairs, id)
				go c.forward(conn, data, failure)
			}
		}
	}
}

func (c *container) forward(conn httpstream.Connection, data, failure httpstream.Stream) {
	defer conn.RemoveStreams(data, failure)
	defer func() { _ = data.Reset() }() // it may be closed
	defer failure.Close()
	if !c.pod.isReal() {
		fmt.Fprint(failure, "the pod is simulated: nothing listens")
		return
	}
	server, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", data.Headers().Get(corev1.PortHeader)), limit)
	if err != nil {
		fmt.Fprint(failure, err)
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, data)
		_ = server.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(data, server)
}
