package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"

	"plimsoll/internal/host/peer"
)

// Forward is an address of this machine that leads to a port of a pod, through the
// API server. The pod is found by its name at each connection to the API server, so
// that one made anew is reached as well. Only the user of this process and root get through.
type Forward struct {
	client         *Client
	namespace, pod string
	port           int
	listener       net.Listener
	busy           sync.WaitGroup

	mu      sync.Mutex
	tunnel  *tunnel // for new connections; nil before the first, and after it broke or stopped answering
	tunnels map[*tunnel]bool
	serial  int
	closed  bool
	open    map[net.Conn]bool
}

// tunnel carries connections to a pod. Its fields are guarded by Forward.mu.
type tunnel struct {
	httpstream.Connection

	users   int
	retired bool // takes no new connections, and is closed with its last one
}

// Forward opens an address for a pod's port; the pod need not be there yet.
func (c *Client) Forward(namespace, pod string, port int) (*Forward, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("make a way to pod %s: %w", pod, err)
	}
	guard := peer.NewGuard(listener, peer.OfThisUser, peer.Share(), 0)
	f := &Forward{client: c, namespace: namespace, pod: pod, port: port, listener: guard, open: map[net.Conn]bool{}, tunnels: map[*tunnel]bool{}}
	f.busy.Go(f.serve)
	return f, nil
}

// Address is the local end of the forwarding, on this machine.
func (f *Forward) Address() string { return f.listener.Addr().String() }

// Close ends it and its connections.
func (f *Forward) Close() error {
	f.mu.Lock()
	f.closed = true
	for conn := range f.open {
		_ = conn.Close()
	}
	for t := range f.tunnels {
		f.drop(t)
	}
	f.mu.Unlock()
	err := f.listener.Close()
	f.busy.Wait()
	return err
}

func (f *Forward) serve() {
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return // it was closed
		}
		f.mu.Lock()
		if f.closed {
			_ = conn.Close()
		} else {
			f.open[conn] = true
			f.busy.Go(func() { f.pass(conn) })
		}
		f.mu.Unlock()
	}
}

// halfOpenLimit is how long the pod may take to begin its answer after whoever asked
// has stopped sending.
const halfOpenLimit = 30 * time.Second

// pass copies both ways until either has ended. Who asked sees its connection
// closed when the pod cannot be reached.
func (f *Forward) pass(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		f.mu.Lock()
		delete(f.open, conn)
		f.mu.Unlock()
	}()
	streams, err := f.dial()
	if err != nil {
		streams, err = f.dial() // the tunnel had broken and was given up
	}
	if err != nil {
		return
	}
	defer f.hangUp(streams)
	go func() { // any message here means that the port does not answer
		if message, _ := io.ReadAll(streams.errors); len(message) > 0 {
			_ = conn.Close()
		}
	}()
	begun, answered := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(answered)
		answer(conn, streams.data, begun)
		_ = conn.Close()
	}()
	_, _ = io.Copy(streams.data, conn)
	_ = streams.data.Close()
	f.awaitAnswer(streams.tunnel, begun, answered)
}

// answer copies what the pod says, and closes begun with its first bytes.
func answer(to io.Writer, from io.Reader, begun chan<- struct{}) {
	first := make([]byte, 32<<10)
	n, err := from.Read(first)
	if n == 0 {
		return
	}
	close(begun)
	if _, wrong := to.Write(first[:n]); err == nil && wrong == nil {
		_, _ = io.Copy(to, from)
	}
}

// awaitAnswer waits for the rest of the answer. A tunnel in which somebody got no
// answer at all takes no new connections, so that the next attempt makes a new one: where a
// port refused, what was sent to it is never read, and blocks one of the few workers that
// serve the tunnel's streams at its other end (moby/spdystream); or that end is gone.
func (f *Forward) awaitAnswer(t *tunnel, begun, answered <-chan struct{}) {
	if !isClosed(begun) {
		f.retire(t)
		select {
		case <-begun:
		case <-answered:
		case <-time.After(halfOpenLimit):
			return
		}
	}
	<-answered
}

// streams are the data and error streams of one connection to the port.
type streams struct {
	tunnel       *tunnel
	data, errors httpstream.Stream
}

// hangUp ends a connection, and a retired tunnel with its last one.
func (f *Forward) hangUp(s streams) {
	_ = s.data.Reset()
	s.tunnel.RemoveStreams(s.data, s.errors)
	f.leave(s.tunnel)
}

// leave ends one use of a tunnel.
func (f *Forward) leave(t *tunnel) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.users--; t.users == 0 && t.retired {
		f.drop(t)
	}
}

// retire keeps new connections from a tunnel.
func (f *Forward) retire(t *tunnel) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t.retired = true
	if f.tunnel == t {
		f.tunnel = nil
	}
}

// dial makes the streams of a connection, in a new tunnel if the previous one broke.
func (f *Forward) dial() (streams, error) {
	t, serial, err := f.connect()
	if err != nil {
		return streams{}, err
	}
	s, err := f.stream(t, serial)
	if err != nil {
		f.mu.Lock()
		f.drop(t)
		f.mu.Unlock()
		f.leave(t)
	}
	return s, err
}

func (f *Forward) stream(t *tunnel, serial int) (s streams, err error) {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(f.port))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.Itoa(serial))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	s.tunnel = t
	if s.errors, err = t.CreateStream(headers); err != nil {
		return s, err
	}
	_ = s.errors.Close() // nothing is written to it
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	if s.data, err = t.CreateStream(headers); err != nil {
		t.RemoveStreams(s.errors)
	}
	return s, err
}

// connect gives the tunnel and the number of a new connection in it.
func (f *Forward) connect() (*tunnel, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, 0, net.ErrClosed
	}
	if f.tunnel != nil && isClosed(f.tunnel.CloseChan()) {
		f.drop(f.tunnel)
	}
	if f.tunnel == nil {
		connection, err := f.client.tunnel(f.namespace, f.pod)
		if err != nil {
			return nil, 0, err
		}
		f.tunnel = &tunnel{Connection: connection}
		f.tunnels[f.tunnel] = true
	}
	f.serial++
	f.tunnel.users++
	return f.tunnel, f.serial, nil
}

// drop closes a tunnel. The caller holds mu.
func (f *Forward) drop(t *tunnel) {
	_ = t.Close()
	delete(f.tunnels, t)
	if f.tunnel == t {
		f.tunnel = nil
	}
}

// tunnel opens the way into a pod's network.
func (c *Client) tunnel(namespace, pod string) (tunnel httpstream.Connection, err error) {
	err = c.credentials.stream(context.Background(), func(config *rest.Config) error {
		tunnel, err = c.dialTunnel(config, namespace, pod)
		return err
	})
	return tunnel, err
}

func (c *Client) dialTunnel(config *rest.Config, namespace, pod string) (httpstream.Connection, error) {
	url := c.core.Post().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	old := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	dialer, err := portforward.NewSPDYOverWebsocketDialer(url, config)
	if err != nil {
		return nil, err
	}
	tunnel, protocol, err := portforward.NewFallbackDialer(dialer, old, noWebSocket).Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, err
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(fmt.Errorf("the API server speaks %q instead of %s", strings.TrimSpace(protocol), portforward.PortForwardProtocolV1Name), tunnel.Close())
	}
	return tunnel, nil
}

func isClosed[T any](c <-chan T) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
