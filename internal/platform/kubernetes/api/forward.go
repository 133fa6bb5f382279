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

	mu     sync.Mutex
	tunnel httpstream.Connection // nil before the first connection, and after it broke
	serial int
	closed bool
	open   map[net.Conn]bool
}

// Forward opens an address for a pod's port; the pod need not be there yet.
func (c *Client) Forward(namespace, pod string, port int) (*Forward, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("make a way to pod %s: %w", pod, err)
	}
	guard := peer.NewGuard(listener, peer.OfThisUser, peer.Share(), 0)
	f := &Forward{client: c, namespace: namespace, pod: pod, port: port, listener: guard, open: map[net.Conn]bool{}}
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
	f.drop(f.tunnel)
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
	defer streams.close()
	refused := make(chan struct{})
	go func() { // any message here means that the port does not answer
		defer close(refused)
		if message, _ := io.ReadAll(streams.errors); len(message) > 0 {
			_ = conn.Close()
		}
	}()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = io.Copy(conn, streams.data)
		_ = conn.Close()
	}()
	_, _ = io.Copy(streams.data, conn)
	_ = streams.data.Close()
	<-answered
}

// streams are the data and error streams of one connection to the port.
type streams struct {
	tunnel       httpstream.Connection
	data, errors httpstream.Stream
}

func (s streams) close() {
	_ = s.data.Reset()
	s.tunnel.RemoveStreams(s.data, s.errors)
}

// dial makes the streams of a connection, in a new tunnel if the previous one broke.
func (f *Forward) dial() (streams, error) {
	tunnel, serial, err := f.connect()
	if err != nil {
		return streams{}, err
	}
	s, err := f.stream(tunnel, serial)
	if err != nil {
		f.mu.Lock()
		f.drop(tunnel)
		f.mu.Unlock()
	}
	return s, err
}

func (f *Forward) stream(tunnel httpstream.Connection, serial int) (s streams, err error) {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(f.port))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.Itoa(serial))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	s.tunnel = tunnel
	if s.errors, err = tunnel.CreateStream(headers); err != nil {
		return s, err
	}
	_ = s.errors.Close() // nothing is written to it
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	if s.data, err = tunnel.CreateStream(headers); err != nil {
		tunnel.RemoveStreams(s.errors)
	}
	return s, err
}

// connect gives the tunnel and the number of a new connection in it.
func (f *Forward) connect() (httpstream.Connection, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, 0, net.ErrClosed
	}
	if f.tunnel != nil && isClosed(f.tunnel.CloseChan()) {
		f.drop(f.tunnel)
	}
	if f.tunnel == nil {
		tunnel, err := f.client.tunnel(f.namespace, f.pod)
		if err != nil {
			return nil, 0, err
		}
		f.tunnel = tunnel
	}
	f.serial++
	return f.tunnel, f.serial, nil
}

// drop gives a tunnel up. The caller holds mu.
func (f *Forward) drop(tunnel httpstream.Connection) {
	if tunnel != nil {
		_ = tunnel.Close()
	}
	if f.tunnel == tunnel {
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
